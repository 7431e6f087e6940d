//! The special properties of this store: its file, its owner, its one writer, and its readers. The conformance suite
//! proves that it keeps the contract of every store.
#![allow(clippy::unwrap_used)]

mod bench;
mod damage;
mod guest;
mod log;
mod modes;
mod opening;
mod owner;
mod reading;
mod ready;
mod skip_pointers;
mod spans;
mod stolen;
mod turns;
mod writing;
