//! One order explains what the clients of two servers on PostgreSQL are told, through its crashes and promotions.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

#[path = "../../../extras/care-store-postgres/tests/scratch/mod.rs"]
mod scratch;

use std::process::ExitCode;

use care_faults::linear;

use scratch::{Test, test};

fn main() -> ExitCode {
    scratch::run(|_| tests())
}

fn tests() -> Vec<Test> {
    vec![
        test("one_order_explains_all_through_kills", |server| {
            linear::through_kills(server.installation(), 2, 4).unwrap();
        }),
        test("one_order_explains_all_through_promotions", |server| {
            linear::through_promotions(server.installation(), 2, 5).unwrap();
        }),
        test("a_stale_read_is_found", |server| {
            let failure = linear::on_late_standby(server.cluster(), 5, 6).unwrap_err();
            assert!(failure.to_string().contains("no order explains these answers"), "{failure}");
        }),
    ]
}
