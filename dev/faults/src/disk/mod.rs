//! A disk that can forget what was not synced, and that can fail.
//!
//! SQLite reaches its files through a layer of its own, and this one stands between the two: each write, cut, sync or
//! deletion of a watched database and its log is done and recorded, or made to fail. The rest goes straight through.
//! From the record [`Image`](image::Image)s are made: what may be on the disk after a power cut.

mod image;
mod record;
mod vfs;

pub(crate) use image::{Cut, Image};
pub(crate) use record::{Disk, FailurePlan, Trouble};
