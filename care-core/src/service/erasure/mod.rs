//! Erasing a person for good, from the records and from the past.
//!
//! [`erase`] is the use case; [`rewriting`] finds what names the person, and says what stands in its place.

pub(crate) mod erase;
pub(crate) mod rewriting;
