//! Operators' tasks in an emergency: each task succeeds or reports that it did not, whatever else is going on.

mod descriptors;
mod disks;
mod each_call;
mod erase;
mod restore;

pub(crate) use descriptors::descriptors;
pub(crate) use disks::disks;
pub(crate) use each_call::each_call;
pub(crate) use erase::erasures;
pub(crate) use restore::restores;
