//! The one thread that writes: it takes waiting decisions, runs them in batches, and applies what they decided.
//!
//! [`writer`] owns the only connection that writes, and decides the order of the work. Each kind of work has a module:
//! a [`batch`] of decisions that share a commit, a [`bulk`] of many in one transaction, a [`scrub`] of deleted data.
//! [`callbacks`] is what SQLite asks it meanwhile.

pub(crate) mod apply;
pub(crate) mod batch;
pub(crate) mod bulk;
pub(crate) mod callbacks;
pub(crate) mod scrub;
mod terms;
pub(crate) mod writer;
