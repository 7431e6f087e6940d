//! Answers: the SQL of keys and lists, and the connections and threads that run them.
//!
//! Point reads run on the caller's thread ([`readers`]), longer ones on threads of their own ([`scans`]). No
//! query of this room changes a row.

pub(crate) mod check;
#[cfg(test)]
mod cost_tests;
pub(crate) mod list;
pub(crate) mod load;
pub(crate) mod patients;
pub(crate) mod readers;
pub(crate) mod scans;
pub(crate) mod terms;
