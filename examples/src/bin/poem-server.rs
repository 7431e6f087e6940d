//! The Patient Care Service in Poem. `--help` lists the options.

use std::process::ExitCode;

fn main() -> ExitCode {
    care_examples::run("Poem 3", care_examples::poem_server::serve)
}
