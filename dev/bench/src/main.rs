//! Measures the cost of the service: databases of any size, and ways to measure on them.
//!
//! `cargo run --release -p care-bench -- --help` lists the measurements. Started under the name of one of the service's
//! programs or of the hand-written servers, it acts as that program, so that measurements run the same code in separate
//! processes without building another program.

mod baseline;
mod clinic;
mod compare;
mod fhir;
mod figures;
mod find;
mod import;
mod load;
#[cfg(feature = "postgres")]
mod postgres;
mod scale;
mod server;
mod setting;
mod stock;

use std::{env, error::Error, path::Path, process::ExitCode};

use care_server::admin::Admin;
use clap::Parser;

use clinic::Clinic;
use compare::{Comparisons, Side};
use figures::{Table, figure, median, microseconds, permille};
use load::Kind;
use server::{FRAMEWORKS, Framework, Server};
use setting::Setting;

/// Any error that ends a measurement. It is printed.
type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    let name = env::args_os().next().unwrap_or_default();
    let done = match Path::new(&name).file_name().and_then(|name| name.to_str()) {
        Some("care-server") => return care_server::run("care-server", "Poem 3", care_server::poem_server::serve),
        Some("care-server-rocket") => {
            return care_server::run("care-server-rocket", "Rocket 0.5", care_server::rocket_server::serve);
        }
        Some("care-admin") => Admin::parse().run().map_err(Into::into),
        Some("hand-written") => baseline::serve(baseline::poem::serve),
        Some("hand-written-rocket") => baseline::serve(baseline::rocket::serve),
        _ => Setting::parse().measure(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
