//! Rows in short.
#![allow(dead_code, reason = "each program uses what it needs")]

use care_faults::{Row, Run};

/// Returns what a row is run with in a test.
pub(crate) fn run(rounds: u64, seed: u64) -> Run {
    Run::new(rounds, seed).unwrap().short()
}

/// Runs a row, whose bars must all be met.
pub(crate) fn hold(task: &str, part: &str, run: &Run) {
    for finding in Row::named(task, part).unwrap().run(run).unwrap() {
        println!("{finding:?}");
        finding.hold().unwrap();
    }
}
