//! PostgreSQL failures, in short; the long runs are on demand.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

#[path = "../../../extras/care-store-postgres/tests/scratch/mod.rs"]
mod scratch;
mod short;

use std::process::ExitCode;

use care_faults::Run;

use scratch::test;

/// The name of each test, its part, its rounds and its seed.
const PARTS: &[(&str, &str, u64, u64)] = &[
    ("killed_postgres_has_lost_nothing", "kill", 3, 1),
    ("a_promoted_standby_has_lost_nothing", "promote", 2, 2),
    ("an_asynchronous_standby_loses_and_the_harness_finds_it", "promote-async", 1, 3),
    ("nothing_is_acknowledged_while_the_standby_stands_still", "silent", 2, 4),
    ("commits_that_are_cut_happen_once", "cut", 20, 5),
    ("errors_of_postgres_have_their_meanings", "sqlstates", 20, 6),
    ("a_cancelled_commit_is_not_acknowledged", "cancelled", 2, 7),
    ("an_old_primary_acknowledges_nothing", "old-primary", 1, 8),
];

fn main() -> ExitCode {
    scratch::run(|is_newest| {
        // The store's own tests run on every version.
        let parts = PARTS.iter().filter(|_| is_newest);
        let tests = parts.map(|&(name, part, rounds, seed)| {
            test(name, move |server| {
                let postgres = Some(server.installation().clone());
                short::hold("pg", part, &Run { postgres, ..short::run(rounds, seed) });
            })
        });
        tests.collect()
    })
}
