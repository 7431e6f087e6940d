//! Rows in short.
#![allow(dead_code, reason = "each program uses what it needs")]

use std::path::Path;

use care_faults::{Row, Run, abuse::Sizes};

/// Returns what a row is run with in a test.
pub(crate) fn run(rounds: u64, seed: u64) -> Run {
    let harness = Path::new(env!("CARGO_BIN_EXE_care-faults"));
    Run { sizes: Sizes::SHORT, ..Run::new(harness, rounds, seed).unwrap() }
}

/// Runs a row, whose bars must all be met.
pub(crate) fn hold(task: &str, part: &str, run: &Run) {
    for finding in Row::named(task, part).unwrap().run(run).unwrap() {
        println!("{finding:?}");
        finding.hold().unwrap();
    }
}
