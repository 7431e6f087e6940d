//! The parts that every run needs: programs and servers as processes, requests and their answers, findings.

pub(crate) mod admin;
pub mod attempt;
pub mod failure;
pub mod finding;
pub(crate) mod inside;
pub mod memory;
pub(crate) mod process;
pub(crate) mod programs;
pub(crate) mod wire;
