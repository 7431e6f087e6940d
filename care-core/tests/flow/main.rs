//! The flow through the library: what requests over HTTP cannot see, the rules of the audit, and random days.

#![allow(clippy::unwrap_used, reason = "a test's expectations")]

#[macro_use]
mod edits;

mod auditing;
mod chain;
mod clinic;
mod days;
mod erasing;
mod growing;
mod library;
mod money;
mod owners;
mod rules;
mod together;
mod work;
