//! Answers arrive as the service gives them, and end where they say they end.

use care_testkit::{Wire, sent};

use crate::{
    server::start,
    world::{api, handle},
};

const PATIENT: &str = "/1.0.0/patient/1";

#[test]
fn every_answer_is_the_services_own() {
    // Two separate worlds, so that a write over the socket does not find its record there already.
    let (server, twin) = (start(api()), api());
    let etag = handle(&twin, &sent("GET", PATIENT));
    let etag = etag.header("etag").unwrap();
    let mut wire = Wire::open(server.address);
    for (status, sent) in [
        (200, sent("GET", PATIENT)),
        (200, sent("GET", PATIENT).header("Accept", "application/xml")),
        (304, sent("GET", PATIENT).header("If-None-Match", etag)),
        (200, sent("HEAD", PATIENT)),
        (404, sent("GET", "/1.0.0/patient/2")),
        (404, sent("HEAD", "/1.0.0/patient/2")),
        (404, sent("GET", "/1.0.0/nothing")),
        (400, sent("GET", "/1.0.0/patient/one")),
        (401, sent("GET", PATIENT).without_key()),
        (401, sent("GET", PATIENT).header("api_key", "secret")),
        (406, sent("GET", PATIENT).header("Accept", "text/html")),
        (204, sent("OPTIONS", PATIENT).without_key()),
        (405, sent("PATCH", PATIENT)),
        (405, sent("TRACE", PATIENT)),
        (200, sent("PUT", "/1.0.0/patient").body(r#"{"patientId": 1, "age": 40}"#)),
        (412, sent("PUT", "/1.0.0/patient").body(r#"{"patientId": 1}"#).header("If-Match", etag)),
        (400, sent("PUT", "/1.0.0/patient").body("{")),
        (422, sent("PUT", "/1.0.0/patient").body(r#"{"patientId": 1, "age": 400}"#)),
        (415, sent("PUT", "/1.0.0/patient").raw_body("{}")),
        (200, sent("PUT", "/1.0.0/patient").body(r#"{"patientId": 1, "age": 41}"#).chunked()),
        (201, sent("POST", "/1.0.0/patient").body("{}")),
        (200, sent("GET", "/1.0.0/patient?limit=1")),
        (204, sent("DELETE", "/1.0.0/prescriptions/1")),
        (404, sent("DELETE", "/1.0.0/prescriptions/1")),
    ] {
        let answer = sent.over(&mut wire);
        assert_eq!(answer.status, status, "{sent:?}");
        assert_eq!(answer, handle(&twin, &sent), "{sent:?}");
        if sent.body.is_some() && status >= 400 {
            // The server may end the connection when it refuses a request before reading its body.
            wire = Wire::open(server.address);
        }
    }
}

#[test]
fn the_answer_to_head_has_the_length_and_not_the_body() {
    let server = start(api());
    let mut wire = Wire::open(server.address);
    // Both are sent at once: a body behind the first answer would be read as the second.
    for target in [PATIENT, "/1.0.0/patient", "/1.0.0/patient/2", "/1.0.0/nothing"] {
        wire.send(sent("HEAD", target).written() + &sent("GET", target).written());
        let (head, get) = (wire.answer_to("HEAD"), wire.answer());
        assert_eq!(head.status, get.status, "{target}");
        assert_eq!(head.header("content-length"), Some(get.body.len().to_string().as_str()));
        assert_eq!(head.header("etag"), get.header("etag"));
    }
}

#[test]
fn answers_without_content_say_nothing_about_a_length() {
    let server = start(api());
    let mut wire = Wire::open(server.address);
    for (status, sent) in [
        (204, sent("OPTIONS", PATIENT)),
        (304, sent("GET", PATIENT).header("If-None-Match", "*")),
        (304, sent("HEAD", PATIENT).header("If-None-Match", "*")),
        (204, sent("DELETE", "/1.0.0/prescriptions/1")),
    ] {
        let answer = sent.over(&mut wire);
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("content-length"), None, "{sent:?}");
        assert_eq!(answer.header("transfer-encoding"), None, "{sent:?}");
    }
    assert_eq!(sent("GET", PATIENT).over(&mut wire).status, 200);
}

#[test]
fn requests_that_come_together_are_answered_in_order() {
    let server = start(api());
    let mut wire = Wire::open(server.address);
    let targets = ["/1.0.0/patient/1", "/1.0.0/patient/2", "/1.0.0/history/1"];
    wire.send(targets.map(|target| sent("GET", target).written()).concat());
    assert_eq!(targets.map(|_| wire.answer().status), [200, 404, 200]);
}

#[test]
fn a_whole_uri_is_taken_for_its_path() {
    let (server, twin) = (start(api()), api());
    let sent = sent("GET", "http://elsewhere.example/1.0.0/patient/1");
    let answer = sent.over(&mut Wire::open(server.address));
    assert_eq!(answer.status, 200);
    assert_eq!(answer, handle(&twin, &sent));
}
