//! What is special about this store: its file, its owner, its one writer, and its readers. That it keeps the contract
//! of every store is proven by the conformance suite.
#![allow(clippy::unwrap_used)]

mod bench;
mod damage;
mod guest;
mod keys;
mod log;
mod modes;
mod opening;
mod owner;
mod reading;
mod ready;
mod stolen;
mod turns;
mod writing;
