//! Operators' tasks in an emergency: each task succeeds or reports that it did not, whatever else is going on.
//!
//! Each part returns rows of a table, or a [`Failure`](crate::base::failure::Failure) as soon as something is lost or a
//! report is not true.

mod backup;
mod clocks;
mod descriptors;
mod disks;
mod each_call;
mod erase;
mod import;
mod keys;
mod live_server;
mod place;
mod restore;
mod stolen;

pub use backup::backups;
pub use clocks::travel;
pub use descriptors::descriptors;
pub use disks::disks;
pub use each_call::each_call;
pub use erase::erasures;
pub use import::imports;
pub use keys::rotations;
pub use restore::restores;
pub use stolen::thefts;

/// The size in bytes from which the store does not recheck a whole file that was closed cleanly.
const LARGE: u64 = 64 << 20;
