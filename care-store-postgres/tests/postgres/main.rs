//! Properties of PostgreSQL's own: opening, commits without an answer, several servers on one database.

#[path = "../scratch/mod.rs"]
mod scratch;

mod opening;

use std::process::ExitCode;

fn main() -> ExitCode {
    scratch::run(|| [opening::tests()].into_iter().flatten().collect())
}
