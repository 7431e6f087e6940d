//! A disk that can forget what was not synced, and that can fail.
//!
//! SQLite reaches its files through a layer of its own, and that layer is where this one stands: whatever it writes,
//! cuts, syncs or deletes of a watched database and its log is done and written down, or made to fail. The rest goes
//! straight through. From what is written down [`Image`](image::Image)s are made: what may be on the disk after the
//! power is cut.

mod image;
mod record;
mod vfs;

pub(crate) use image::{Cut, Image};
pub(crate) use record::{Disk, Fault, Trouble};
