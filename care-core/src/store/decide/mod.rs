//! Decisions: pure functions from what was seen to what shall change, and the loops that run them.

pub(crate) mod deciding;
pub(crate) mod drive;
pub(crate) mod plan;
