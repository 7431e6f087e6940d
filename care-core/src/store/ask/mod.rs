//! Questions to a store: the keys and queries that it answers, and the answers.
//!
//! [`Seen`](seen::Seen) holds the answers that a decision has. [`Stop`](stop::Stop) says why it ended without
//! a result: it needs more answers, or refuses.

pub(crate) mod filter;
pub(crate) mod key;
pub(crate) mod keyed;
pub(crate) mod portion;
pub(crate) mod query;
pub(crate) mod seen;
pub(crate) mod stop;
