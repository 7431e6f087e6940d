//! Runs with one kind of fault each: kills, power cuts, failing disks, jumping clocks, slow clients.
//!
//! A fault that needs several files has a directory of its own beside this one, such as `pg` or `linear`.

pub mod clock;
pub mod damage;
pub mod errors;
pub mod files;
pub mod kill;
pub mod panics;
pub mod payment;
pub mod power;
pub mod relay;
pub mod slow;
pub mod soak;
pub mod stop;
pub mod syscall;
