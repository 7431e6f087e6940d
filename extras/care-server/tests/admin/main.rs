//! `care-admin`, run as its users run it.
#![allow(clippy::unwrap_used, reason = "a test's expectations")]

mod backup;
mod bench;
mod beside;
mod chain;
mod damage;
mod erasing;
mod files;
mod journal;
mod keys;
mod medicines;
mod patients;
mod ready;
mod restock;
mod stats;
mod takings;
