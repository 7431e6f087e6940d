//! Decisions happen completely or not at all, one after another, whatever else is going on.

pub(crate) mod changes;
pub(crate) mod commits;
pub(crate) mod decisions;
pub(crate) mod futures;
pub(crate) mod races;
pub(crate) mod refusals;
pub(crate) mod together;
pub(crate) mod walks;
