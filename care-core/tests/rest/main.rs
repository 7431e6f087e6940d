//! Behaviour that a case file cannot show: waiting, broken bodies, failing stores.

#![cfg(feature = "rest")]
#![allow(clippy::unwrap_used, reason = "a test's expectations")]

mod bodies;
mod crowding;
mod events;
mod failing;
mod hosting;
mod keys;
mod logging;
mod pages;
mod reports;
mod scopes;
