//! The part of the benchmark on PostgreSQL runs.
#![allow(clippy::unwrap_used, reason = "a test's expectations")]

mod quick;

use std::process::ExitCode;

use care_scratch_postgres::installations;
use libtest_mimic::{Arguments, Completion, Trial};

fn main() -> ExitCode {
    let run = || match installations() {
        Ok(_) => {
            quick::reports("postgres", 2 + 2 * 6 + 4);
            Ok(Completion::Completed)
        }
        Err(missing) => Ok(Completion::ignored_with(missing)),
    };
    libtest_mimic::run(&Arguments::from_args(), vec![Trial::ignorable_test("postgres", run)]).exit_code()
}
