//! What operators do in the worst hour: it works, or says that it did not, whatever else goes on.
//!
//! Each part answers rows of a table. A part ends with a [`Failure`](crate::failure::Failure) when something was lost or
//! said wrongly: there is no degree of it.

mod backup;
mod clocks;
mod descriptors;
mod disks;
mod erase;
mod import;
mod keys;
mod place;
mod restore;
mod stolen;

pub use backup::backups;
pub use clocks::travel;
pub use descriptors::descriptors;
pub use disks::disks;
pub use erase::erasures;
pub use import::imports;
pub use keys::rotations;
pub use restore::restores;
pub use stolen::thefts;

/// Bytes above which a file is not looked over whole again when it was closed in order.
const LARGE: u64 = 64 << 20;
