//! Runs with one kind of fault each: kills, power cuts, failing disks, jumping clocks, slow clients.
//!
//! A fault that needs several files has a directory of its own beside this one, such as `pg` or `linear`.

pub(crate) mod clients;
pub(crate) mod clock;
pub(crate) mod damage;
pub(crate) mod errors;
pub(crate) mod files;
pub(crate) mod kill;
mod memory;
pub(crate) mod panics;
pub(crate) mod payment;
pub(crate) mod power;
pub(crate) mod relay;
pub(crate) mod slow;
pub(crate) mod soak;
pub(crate) mod stop;
pub(crate) mod syscall;
