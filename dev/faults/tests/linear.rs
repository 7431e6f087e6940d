//! One order explains what the clients of two servers are told.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

mod short;

use std::sync::Arc;

use care_core::store::MemoryStore;
use care_faults::linear::{self, History, PatientCall, PatientModel};

#[test]
fn two_services_over_one_store() {
    for finding in linear::in_memory(&short::run(5, 1)).unwrap() {
        finding.hold().unwrap();
    }
}

#[test]
fn a_stale_read_is_found() {
    let failure = linear::on_late_copy(Arc::new(MemoryStore::new()), &short::run(5, 3)).unwrap_err();
    assert!(failure.to_string().contains("no order explains these answers"), "{failure}");
}

#[test]
fn an_open_write_may_come_late_and_is_not_undone() {
    let write = PatientCall::Write { name: 1, tag: None };
    let read = |name: u64| PatientCall::Read { name, tag: format!("tag of {name}") };
    let judged = |reads: &[u64]| {
        let history = History::<PatientModel>::default();
        let sent = history.send();
        history.leave_open(sent, write.clone());
        for name in reads {
            let sent = history.send();
            history.settle(sent, read(*name));
        }
        history.judge().is_ok()
    };
    assert!(judged(&[0, 0]) && judged(&[0, 1, 1]) && judged(&[1]));
    assert!(!judged(&[1, 0]) && !judged(&[0, 1, 0]) && !judged(&[2]));
}

#[test]
fn a_write_under_a_condition_that_did_not_hold_is_found() {
    let swap = |expected: &str, name, tag: &str| PatientCall::Swap {
        expected: expected.to_owned(),
        name,
        tag: Some(tag.to_owned()),
    };
    let judged = |second: PatientCall| {
        let history = History::<PatientModel>::default();
        for call in [PatientCall::Read { name: 0, tag: "a".to_owned() }, swap("a", 1, "b"), second] {
            let sent = history.send();
            history.settle(sent, call);
        }
        history.judge().is_ok()
    };
    assert!(judged(swap("b", 2, "c")) && judged(PatientCall::Mismatch { expected: "a".to_owned() }));
    assert!(!judged(swap("a", 2, "c")) && !judged(PatientCall::Mismatch { expected: "b".to_owned() }));
}
