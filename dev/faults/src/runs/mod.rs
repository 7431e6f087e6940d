//! Runs with one kind of fault each: kills, power cuts, failing disks, jumping clocks, slow clients.
//!
//! A fault that needs several files has a directory of its own beside this one, such as `pg` or `linear`.

pub(crate) mod clients;
pub(crate) mod damage;
pub(crate) mod errors;
pub(crate) mod files;
mod memory;
pub(crate) mod power;
pub(crate) mod slow;
pub(crate) mod soak;
pub(crate) mod storms;
pub(crate) mod syscall;
