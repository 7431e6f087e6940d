//! The records and parameters of requests and answers that no type declares as they are.
//!
//! No module here knows an operation's answers; `described` says which record an operation takes and gives.

pub(crate) mod answers;
pub(crate) mod lists;
pub(crate) mod parameters;
pub(crate) mod reports;
