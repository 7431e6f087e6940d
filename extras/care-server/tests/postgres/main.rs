//! The programs over PostgreSQL, as processes.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

mod bench;
mod opening;
mod racing;
mod serving;
mod synchronous;
mod tasks;

#[allow(dead_code, reason = "several tests use it, each a part")]
#[path = "../admin/bench.rs"]
mod clinic;

#[allow(dead_code, reason = "several tests use it, each a part")]
#[path = "../servers/process.rs"]
mod process;
#[path = "../../../care-store-postgres/tests/scratch/mod.rs"]
mod scratch;

use std::process::ExitCode;

fn main() -> ExitCode {
    scratch::run(|_| {
        let all = [opening::tests(), racing::tests(), serving::tests(), synchronous::tests(), tasks::tests()];
        all.into_iter().flatten().collect()
    })
}
