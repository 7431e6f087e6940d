//! One order explains what the clients of two servers on PostgreSQL are told, through its crashes and promotions.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

#[path = "../../../extras/care-store-postgres/tests/scratch/mod.rs"]
mod scratch;
mod short;

use std::process::ExitCode;

use care_faults::{Run, linear};

use scratch::{Server, Test, test};

fn main() -> ExitCode {
    scratch::run(|_| tests())
}

fn tests() -> Vec<Test> {
    vec![
        test("one_order_explains_all_through_kills", |server| short::hold("linear", "kills", &run(server, 2, 4))),
        test("one_order_explains_all_through_promotions", |server| {
            short::hold("linear", "promotions", &run(server, 2, 5));
        }),
        test("a_stale_read_is_found", |server| {
            let failure = linear::on_late_standby(server.cluster(), &run(server, 5, 6)).unwrap_err();
            assert!(failure.to_string().contains("no order explains these answers"), "{failure}");
        }),
    ]
}

fn run(server: &Server, rounds: u64, seed: u64) -> Run {
    Run { postgres: Some(server.installation().clone()), ..short::run(rounds, seed) }
}
