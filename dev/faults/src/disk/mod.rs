//! A disk that can lose what was not synced, and that can fail.
//!
//! SQLite reaches its files through its VFS layer, and this module wraps that layer. Each write, truncation, sync or
//! deletion of a watched database and its log is either done and recorded, or made to fail. All other calls pass
//! straight through. From the record, [`Image`](image::Image) reconstructs what may be on the disk after a power cut.

mod image;
mod record;
mod vfs;

pub(crate) use image::{Cut, Image};
pub(crate) use record::{Disk, FailurePlan, Trouble};

/// Watches the database at this canonical path, starting the next time that a store opens it.
pub(crate) fn watch(database: &std::path::Path) -> std::sync::Arc<Disk> {
    vfs::stand_between();
    Disk::watch(database)
}
