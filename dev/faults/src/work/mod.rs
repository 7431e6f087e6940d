//! Clients that work on a clinic, and the proof that its database holds what they know.

pub mod clients;
pub(crate) mod clinic;
pub mod prove;
pub mod storm;
