//! Clients that work on a clinic, and the proof that its database holds what they know.

pub(crate) mod bodies;
pub(crate) mod clinic;
pub(crate) mod place;
pub(crate) mod prove;
pub(crate) mod storm;
