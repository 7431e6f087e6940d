//! A harness that kills, cuts off, breaks and disturbs the Patient Care Service. It proves that every acknowledged
//! write is there, that no refused write is, and that no write is half done.
//!
//! Clients [storm] a server and note what they are told. Then the harness does something to the server, and
//! [`prove`](prove::prove) compares what is left with what the clients know. The harness is a tool of this workspace
//! and is not published; `docs/reliability.md` has its results.

pub mod abuse;
mod base;
mod disk;
pub mod linear;
pub mod operate;
#[cfg(feature = "postgres")]
pub mod pg;
pub mod planted;
mod runs;
mod work;

pub use base::{attempt, failure, finding, memory, process::Server, programs::Program, wire::Wire};
pub use runs::{clock, damage, errors, files, kill, panics, payment, power, relay, slow, soak, stop, syscall};
pub use work::{clients, prove, storm};
