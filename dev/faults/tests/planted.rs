//! The harness tests itself: it finds each planted bug.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

use std::path::Path;

use care_faults::{Program, kill, planted::Plant, soak};

/// Tests that the bug is found, for one of these reasons: which of them comes first is up to chance.
fn is_found(plant: Plant, reasons: &[&str]) {
    let program = Program::planted(Path::new(env!("CARGO_BIN_EXE_care-faults")), plant);
    let failure = kill::kill(&program, 20, 3).unwrap_err();
    let failure = failure.to_string();
    assert!(reasons.iter().any(|reason| failure.contains(reason)), "{failure}");
}

#[test]
fn a_write_that_is_acknowledged_too_early_is_found() {
    is_found(Plant::EarlyAnswer, &["is Done, but Item price"]);
}

#[test]
fn a_journal_entry_in_its_own_transaction_is_found() {
    // The skip pointers of a missing entry show it too, and are checked first.
    is_found(Plant::JournalApart, &["contradicts itself", "what no entry has made"]);
}

#[test]
fn a_registration_that_replaces_a_patient_is_found() {
    is_found(Plant::UpsertOnCreate, &["POST /patient once more is answered", "its number is not voided"]);
}

#[test]
fn a_visit_that_is_counted_twice_is_found() {
    is_found(Plant::DoubleCount, &["visits"]);
}

#[test]
fn a_torn_update_is_found() {
    // Between the halves another client may get the same number, and then one of them cannot correct its receipt.
    is_found(Plant::TornUpdate, &["contradicts itself", "must be another one than holds already"]);
}

#[test]
fn a_refusal_of_a_committed_write_is_found() {
    is_found(Plant::FalseRefusal, &["is Refused, but"]);
}

#[test]
fn a_leaking_read_is_found() {
    let program = Program::planted(Path::new(env!("CARGO_BIN_EXE_care-faults")), Plant::Leak);
    let failure = soak::soak(&program, 4000, 9).unwrap_err().to_string();
    assert!(failure.contains("memory grows by"), "{failure}");
}
