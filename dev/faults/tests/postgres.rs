//! PostgreSQL failures, in short; the long runs are on demand.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

#[path = "../../../extras/care-store-postgres/tests/scratch/mod.rs"]
mod scratch;

use std::process::ExitCode;

use care_faults::{
    Program,
    pg::{self, Finding, Installation},
};

use scratch::{Test, test};

/// A part of the harness.
type Part = fn(&Installation) -> Finding;

const PARTS: &[(&str, Part)] = &[
    ("killed_postgres_has_lost_nothing", |on| pg::kill(on, 3, 1, &both()).unwrap()),
    ("a_promoted_standby_has_lost_nothing", |on| pg::promote(on, 2, 2, &both()).unwrap()),
    ("an_asynchronous_standby_loses_and_the_harness_finds_it", |on| {
        pg::promote_async(on, 1, 3, &both()).unwrap().hold().unwrap()
    }),
    ("nothing_is_acknowledged_while_the_standby_stands_still", |on| pg::silent(on, 2, 4, &both()).unwrap()),
    ("commits_that_are_cut_happen_once", |on| pg::cut(on, 20, 5).unwrap()),
    ("errors_of_postgres_have_their_meanings", |on| pg::sqlstates(on, 20, 6).unwrap()),
    ("a_cancelled_commit_is_not_acknowledged", |on| pg::cancelled(on, 2, 7).unwrap()),
    ("an_old_primary_acknowledges_nothing", |on| pg::old_primary(on, 1, 8).unwrap()),
];

fn both() -> [(&'static str, Program); 2] {
    [("Poem", Program::poem().unwrap()), ("Rocket", Program::rocket().unwrap())]
}

fn main() -> ExitCode {
    scratch::run(|is_newest| match is_newest {
        true => PARTS.iter().map(|(name, part)| as_test(name, *part)).collect(),
        // The store's own tests run on every version.
        false => Vec::new(),
    })
}

fn as_test(name: &str, part: Part) -> Test {
    test(name, move |server| println!("{:?}", part(server.installation())))
}
