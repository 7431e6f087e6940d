//! One order explains what the clients of two servers are told.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use care_core::store::MemoryStore;
use care_faults::linear;

#[test]
fn two_services_over_one_store() {
    let tally = linear::in_memory(5, 1).unwrap();
    assert_eq!((tally.histories, tally.open), (15, 0));
}

#[test]
fn two_services_that_share_a_file() {
    linear::on_one_file(5, 2).unwrap();
}

#[test]
fn a_read_that_is_late_is_found() {
    let failure = linear::on_late_copy(Arc::new(MemoryStore::new()), 5, 3).unwrap_err();
    assert!(failure.to_string().contains("no order explains these answers"), "{failure}");
}
