//! The parts of the benchmarks: databases of any size, and ways to measure on them.
//!
//! `cargo run --release -p care-bench -- --help` lists the measurements.

mod base;
mod baseline;
pub mod clinic;
mod compare;
mod fhir;
mod find;
mod import;
mod load;
mod options;
#[cfg(feature = "postgres")]
mod postgres;
mod scale;
mod server;
mod stock;

use std::error::Error;

use base::{
    framework::Framework,
    setting::Setting,
    table::{Report, Table, figure},
    timing::{median, microseconds},
};
use load::Kind;
pub use options::Options;
use server::{Busy, Server};

/// Any error that ends a measurement. It is printed.
pub type Failure = Box<dyn Error + Send + Sync>;
