//! The Patient Care Service in Rocket. `--help` lists the options.

use std::process::ExitCode;

fn main() -> ExitCode {
    care_examples::run("Rocket 0.5", care_examples::rocket_server::serve)
}
