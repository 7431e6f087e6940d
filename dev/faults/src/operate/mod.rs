//! Tasks of operators in an emergency: each task is done or reports that it is not, whatever else goes on.
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
mod place;
mod restore;
mod stolen;
mod ward;

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

/// The size in bytes from which the store does not look over a whole file again that was closed in order.
const LARGE: u64 = 64 << 20;
