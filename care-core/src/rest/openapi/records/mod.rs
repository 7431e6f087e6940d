//! The records and parameters that requests and answers are made of, each with its members and an example.
//!
//! No module here knows an operation's answers; `described` says which record an operation takes and gives.

pub(crate) mod answers;
pub(crate) mod desk;
pub(crate) mod inputs;
pub(crate) mod lists;
pub(crate) mod money;
pub(crate) mod parameters;
pub(crate) mod reports;
pub(crate) mod stock;
