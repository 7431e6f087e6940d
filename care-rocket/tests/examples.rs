//! The examples of this crate, run as programs.

#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

#[path = "examples/application.rs"]
mod application;
#[path = "examples/signing_in.rs"]
mod signing_in;

use signing_in::Host;

#[test]
fn rocket_app_serves_the_service_beside_its_own() {
    application::serves("rocket_app");
}

#[test]
fn tokens_signs_people_in_and_stops_gracefully() {
    signing_in::serves(&Host::start("tokens"), |answer| ("Authorization", format!("Bearer {}", answer.body)));
}
