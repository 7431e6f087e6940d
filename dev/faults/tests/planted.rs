//! The harness tests itself: it finds each planted bug.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

mod short;

use care_faults::{Program, Row, cut_on_a_lying_disk};

/// Tests that a row finds the bug, for one of these reasons: which of them comes first is up to chance.
fn is_found(plant: &str, task: &str, rounds: u64, reasons: &[&str]) {
    let mut run = short::run(rounds, 3);
    run.programs = vec![("planted", Program::planted(&run.harness, plant))];
    let failure = Row::named(task, "").unwrap().run(&run).unwrap_err().to_string();
    assert!(reasons.iter().any(|reason| failure.contains(reason)), "{failure}");
}

#[test]
fn a_write_that_is_acknowledged_too_early_is_found() {
    is_found("early-answer", "kill", 20, &["is Done, but Item price"]);
}

#[test]
fn a_journal_entry_in_its_own_transaction_is_found() {
    // The skip pointers of a missing entry show it too, and are checked first.
    is_found("journal-apart", "kill", 20, &["contradicts itself", "what no entry has made"]);
}

#[test]
fn a_registration_that_replaces_a_patient_is_found() {
    is_found("upsert-on-create", "kill", 20, &["POST /patient once more is answered", "its number is not voided"]);
}

#[test]
fn a_visit_that_is_counted_twice_is_found() {
    is_found("double-count", "kill", 20, &["visits"]);
}

#[test]
fn a_torn_update_is_found() {
    // Between the halves another client may get the same number, and then one of them cannot correct its receipt.
    is_found("torn-update", "kill", 20, &["contradicts itself", "must be another one than holds already"]);
}

#[test]
fn a_refusal_of_a_committed_write_is_found() {
    is_found("false-refusal", "kill", 20, &["is Refused, but"]);
}

#[test]
fn a_leaking_read_is_found() {
    is_found("leak", "soak", 4000, &["memory grows by"]);
}

#[test]
fn a_disk_that_lies_about_syncing_is_found_out() {
    let failure = cut_on_a_lying_disk(60, 2).unwrap_err().to_string();
    assert!(failure.contains("is Done, but") || failure.contains("not opened"), "{failure}");
}
