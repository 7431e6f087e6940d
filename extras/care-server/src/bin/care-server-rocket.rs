//! The Patient Care Service in Rocket. `--help` lists the options.

use std::process::ExitCode;

fn main() -> ExitCode {
    care_server::run("care-server-rocket", "Rocket 0.5", care_server::rocket_server::serve)
}
