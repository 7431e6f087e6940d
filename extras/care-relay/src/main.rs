//! Delivers events as signed webhooks; `care-relay --help` lists the tasks.

use std::process::ExitCode;

fn main() -> ExitCode {
    care_relay::program::run()
}
