//! Operators' tasks in an emergency: each task succeeds or reports that it did not, whatever else is going on.

mod backup;
mod descriptors;
mod disks;
mod each_call;
mod erase;
mod import;
mod keys;
mod restore;
mod stolen;

pub(crate) use backup::backups;
pub(crate) use descriptors::descriptors;
pub(crate) use disks::disks;
pub(crate) use each_call::each_call;
pub(crate) use erase::erasures;
pub(crate) use import::imports;
pub(crate) use keys::rotations;
pub(crate) use restore::restores;
pub(crate) use stolen::thefts;
