//! Keys, queries and snapshots are answered with the right records, in their order, and no others.

pub(crate) mod filters;
pub(crate) mod finding;
pub(crate) mod keys;
pub(crate) mod names;
pub(crate) mod pages;
pub(crate) mod people;
pub(crate) mod selections;
pub(crate) mod snapshots;
