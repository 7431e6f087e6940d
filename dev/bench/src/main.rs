//! Measures the cost of the service. Started under the name of one of the service's programs, it acts as that program,
//! so that measurements run the same code in separate processes without building another program.

use std::{env, path::Path, process::ExitCode};

use care_bench::Options;
use care_server::admin::Admin;
use clap::Parser;

fn main() -> ExitCode {
    let name = env::args_os().next().unwrap_or_default();
    let done = match Path::new(&name).file_name().and_then(|name| name.to_str()) {
        Some("care-server") => return care_server::run("Poem 3", care_server::poem_server::serve),
        Some("care-server-rocket") => return care_server::run("Rocket 0.5", care_server::rocket_server::serve),
        Some("care-admin") => Admin::parse().run().map_err(Into::into),
        _ => Options::parse().run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
