//! PostgreSQL failures, in short; the long runs are on demand.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

#[path = "../../../extras/care-store-postgres/tests/scratch/mod.rs"]
mod scratch;
mod short;

use std::process::ExitCode;

use scratch::{Test, test};

/// The name of each test, its task and part, its rounds and its seed.
type Part = (&'static str, &'static str, &'static str, u64, u64);

const LINEAR: [Part; 2] = [
    ("one_order_explains_all_through_kills", "linear", "kills", 2, 4),
    ("one_order_explains_all_through_promotions", "linear", "promotions", 2, 5),
];

/// Those with programs over PostgreSQL.
#[cfg(feature = "postgres")]
const SERVED: [Part; 5] = [
    ("killed_postgres_has_lost_nothing", "pg", "kill", 3, 1),
    ("a_promoted_standby_has_lost_nothing", "pg", "promote", 2, 2),
    ("an_asynchronous_standby_loses_and_the_harness_finds_it", "pg", "promote-async", 1, 3),
    ("errors_of_postgres_have_their_meanings", "pg", "sqlstates", 20, 6),
    ("an_old_primary_acknowledges_nothing", "pg", "old-primary", 1, 8),
];
#[cfg(not(feature = "postgres"))]
const SERVED: [Part; 0] = [];

fn main() -> ExitCode {
    scratch::run(|is_newest| {
        // The store's own tests run on every version.
        let parts = LINEAR.into_iter().chain(SERVED.into_iter().filter(|_| is_newest));
        parts.map(|(name, task, part, rounds, seed)| one(name, task, part, rounds, seed)).collect()
    })
}

fn one(name: &'static str, task: &'static str, part: &'static str, rounds: u64, seed: u64) -> Test {
    test(name, move |server| {
        let mut run = short::run(rounds, seed);
        run.postgres = Some(server.installation().clone());
        short::hold(task, part, &run);
    })
}
