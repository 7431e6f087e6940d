//! The writing thread: it takes waiting decisions, runs them in batches, and commits what they decided.
//!
//! [`writer`] owns the connection that writes, and orders the work. A [`batch`] loads its keys [`ahead`], runs its
//! decisions in a [`transaction`] that keeps a [`cache`] of answers and the [`pending`] changes, and ends in a
//! [`commit`].

pub(crate) mod ahead;
pub(crate) mod batch;
pub(crate) mod bulk;
pub(crate) mod cache;
pub(crate) mod commit;
pub(crate) mod exclusive;
pub(crate) mod pending;
pub(crate) mod transaction;
pub(crate) mod vacuum;
pub(crate) mod writer;
