//! Maintains a database from the command line; `care-admin --help` lists the tasks.

use std::{error::Error, io, iter, process::ExitCode};

use care_core::model::Visible;
use care_server::{admin::Admin, unshown};
use clap::Parser;
use tracing::level_filters::LevelFilter;

fn main() -> ExitCode {
    let admin = match Admin::try_parse() {
        Ok(admin) => admin,
        Err(wrong) if wrong.use_stderr() && Visible::may_hold_a_password(&wrong.to_string()) => {
            eprintln!("{}", unshown(&wrong));
            return ExitCode::from(2);
        }
        Err(wrong) if wrong.use_stderr() => {
            // It quotes the argument, which may hold characters that change what a terminal shows.
            wrong.to_string().lines().for_each(|line| eprintln!("{}", Visible(line)));
            return ExitCode::from(2);
        }
        Err(asked) => asked.exit(),
    };
    tracing_subscriber::fmt().with_max_level(LevelFilter::WARN).with_writer(io::stderr).init();
    match admin.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let causes = iter::successors(Some(&error as &dyn Error), |error| (*error).source());
            let causes: Vec<_> = causes.map(ToString::to_string).collect();
            eprintln!("care-admin: {}", Visible(&causes.join(": ")));
            ExitCode::FAILURE
        }
    }
}
