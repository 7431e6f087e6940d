//! The parts that every run needs: programs and servers as processes, requests and their answers, findings.

pub(crate) mod admin;
pub(crate) mod attempt;
pub(crate) mod finding;
pub(crate) mod inside;
pub(crate) mod means;
pub(crate) mod process;
pub(crate) mod programs;
pub(crate) mod together;
pub(crate) mod wire;
