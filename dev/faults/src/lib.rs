//! A harness that kills, cuts, breaks and disturbs the Patient Care Service, and proves that every acknowledged write
//! is there, that no refused one is, and that nothing is half there.
//!
//! Clients [storm] a server and note what they are told. Then something happens to it, and [`prove`](prove::prove)
//! compares what is left with what the clients know. The harness is a tool of this workspace and not published;
//! `docs/reliability.md` says what it found.

pub mod abuse;
mod admin;
pub mod attempt;
pub mod clients;
mod clinic;
pub mod clock;
pub mod damage;
mod disk;
pub mod errors;
pub mod failure;
pub mod files;
pub mod finding;
mod inside;
pub mod kill;
pub mod linear;
pub mod memory;
pub mod operate;
pub mod panics;
#[cfg(feature = "postgres")]
pub mod pg;
pub mod planted;
pub mod power;
mod process;
mod programs;
pub mod prove;
pub mod slow;
pub mod soak;
pub mod stop;
pub mod storm;
pub mod syscall;
mod vitals;
mod wire;

pub use process::Server;
pub use programs::Program;
pub use wire::Wire;
