//! Every part of the benchmark runs. Its figures are meaningless in so short a time.
#![allow(clippy::unwrap_used, reason = "a test's expectations")]

mod quick;

use quick::reports;

#[test]
fn scale() {
    reports("scale", 15 + 5);
}

#[test]
fn find() {
    reports("find", 9);
}

#[test]
fn fhir() {
    reports("fhir", 2 * 2 + 2);
}

#[test]
fn reads() {
    reports("reads", 2 * 3);
}

#[test]
fn audit() {
    reports("audit", 2 * 3);
}

#[test]
fn writes() {
    reports("writes", 2 * 4 + 2 * 3);
}

#[test]
fn start() {
    reports("start", 2 * 3);
}

#[test]
fn stock() {
    reports("stock", 2 * 2 + 3);
}
