//! What the benchmarks are made of: databases of any size, and ways to measure on them.
//!
//! `cargo run --release -p care-bench -- --help` lists what can be measured.

mod baseline;
pub mod clinic;
mod compare;
mod dice;
mod framework;
mod import;
mod load;
mod options;
mod scale;
mod server;
mod setting;
mod table;
mod timing;

use std::error::Error;

pub use options::Options;

/// Whatever came in the way of a measurement: it ends, and this is printed.
pub type Failure = Box<dyn Error + Send + Sync>;
