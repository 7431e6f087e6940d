//! Disks that lose power and disks that fail, in short: the long runs are on demand.
#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

use care_faults::{clock, damage, errors, power};

#[test]
fn after_a_power_cut_everything_acknowledged_is_there() {
    let cuts = power::cut(24, 1).unwrap();
    assert!(cuts.looked_for > 200 && cuts.unsynced > 10, "{cuts:?}");
}

#[test]
fn a_disk_that_lies_about_syncing_is_found_out() {
    let failure = power::cut_on_a_lying_disk(60, 2).unwrap_err().to_string();
    assert!(failure.contains("is Done, but") || failure.contains("not opened"), "{failure}");
}

#[test]
fn a_failing_disk_causes_no_false_answer() {
    let faults = errors::fail(9, 3).unwrap();
    assert!(faults.acknowledged > 30 && faults.refused > 10 && faults.unknown > 0, "{faults:?}");
}

#[test]
fn damage_is_noticed_or_does_not_matter() {
    let damages = damage::damage(30, 4).unwrap();
    assert!(damages.noticed > 15, "{damages:?}");
}

#[test]
fn a_clock_that_jumps_does_no_harm() {
    clock::jump(1, 5).unwrap();
}
