//! The Patient Care Service in Poem. `--help` lists the options.

use std::process::ExitCode;

fn main() -> ExitCode {
    care_server::run("care-server", "Poem 3", care_server::poem_server::serve)
}
