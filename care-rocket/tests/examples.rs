//! The example of this crate, run as a program: a user signs in and works, and the program stops.

#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

#[path = "examples/signing_in.rs"]
mod signing_in;

use signing_in::Host;

#[test]
fn tokens_signs_people_in_and_stops_gracefully() {
    signing_in::serves(&Host::start("tokens"), |answer| ("Authorization", format!("Bearer {}", answer.body)));
}
