//! The examples of this crate, run as programs.

#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

#[path = "../../care-rocket/tests/examples/application.rs"]
mod application;
#[path = "../../care-rocket/tests/examples/signing_in.rs"]
mod signing_in;

use signing_in::Host;

#[test]
fn poem_app_serves_the_service_beside_its_own() {
    application::serves("poem_app");
}

#[test]
fn sessions_signs_people_in_and_stops_gracefully() {
    signing_in::serves(&Host::start("sessions"), |answer| {
        let cookie = answer.header("set-cookie").unwrap();
        ("Cookie", cookie.split(';').next().unwrap().to_owned())
    });
}
