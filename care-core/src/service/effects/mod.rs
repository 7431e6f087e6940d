//! Effects on other records that several use cases share: booking units, completing prescriptions, counting demand,
//! entering a history, and finding what a person owns.
//!
//! An effect works on the caller's draft, so it is committed with the rest or not at all.

pub(crate) mod booking;
pub(crate) mod completion;
pub(crate) mod demand;
pub(crate) mod history;
pub(crate) mod owned;
