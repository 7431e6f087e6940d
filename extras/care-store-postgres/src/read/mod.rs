//! Reading: the SQL of each key and each list, and the questions that callers ask.
//!
//! A question that needs one statement runs as that statement on a pooled connection ([`question`]). No query in this
//! module changes a row.

pub(crate) mod check;
pub(crate) mod journal;
pub(crate) mod list;
pub(crate) mod load;
pub(crate) mod news;
pub(crate) mod question;
pub(crate) mod ready;
pub(crate) mod terms;
