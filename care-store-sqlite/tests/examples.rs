//! The examples of this crate, run as programs.

#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

use care_testkit::example;

fn printed(name: &str) -> String {
    let output = example(name).unwrap().output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn own_rows_does_each_order_once() {
    let lines = "order 1: invoice 1, and a crash\norder 1: invoice 1\norder 2: invoice 2\nthe journal has 5 entries\n";
    assert_eq!(printed("own_rows"), lines);
}

#[test]
fn outbox_goes_on_where_it_was_and_begins_anew_with_another_past() {
    let lines = "after entry 2: 2 names\nafter entry 3: 1 names\nafter entry 3: 1 names\n";
    assert_eq!(printed("outbox"), lines);
}
