//! Answers: the SQL of each key and each list, and the connections and threads that run them.
//!
//! Point reads run on the caller's thread ([`readers`]), longer ones on threads of their own ([`scans`]). A query says
//! here which index it uses; no query of this room changes a row.

pub(crate) mod check;
#[cfg(test)]
pub(crate) mod cost;
pub(crate) mod index;
pub(crate) mod list;
pub(crate) mod load;
pub(crate) mod patients;
pub(crate) mod readers;
pub(crate) mod scans;
pub(crate) mod terms;
