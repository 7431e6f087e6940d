//! The one thread that writes: it takes waiting decisions, runs them in batches, and commits what they decided.
//!
//! [`writer`] owns the connection that writes, and decides the order of the work. A [`batch`] loads its keys
//! [`ahead`], decides them over a [`transaction`] that remembers answers ([`cache`]) and changes ([`pending`]), and
//! ends in a [`commit`].

pub(crate) mod ahead;
pub(crate) mod alone;
pub(crate) mod batch;
pub(crate) mod bulk;
pub(crate) mod cache;
pub(crate) mod commit;
pub(crate) mod job;
pub(crate) mod pending;
pub(crate) mod transaction;
pub(crate) mod turn;
pub(crate) mod writer;
