//! Bodies: complete ones, and every way in which a body is incomplete or illegal.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_core::rest::Limits;
use care_testkit::{Wire, sent};

use crate::{
    gate::gated_api,
    server::{start, start_hurried},
    world::api,
};

const PUT: &str = r#"{"patientId": 1, "name": "Ada Different"}"#;

fn problem(body: &str) -> &str {
    let start = body.find("urn:care:problem:").unwrap_or_default();
    body[start..].split('"').next().unwrap_or_default()
}

#[test]
fn a_body_that_is_cut_off_is_refused_and_nothing_is_written() {
    let server = start(api());
    let whole = sent("PUT", "/1.0.0/patient").body(PUT);
    for (cut, whole) in [0, 1, 13, 14, 15, PUT.len() - 1]
        .into_iter()
        .flat_map(|cut| [(cut, whole.clone()), (cut, whole.clone().chunked())])
    {
        let mut wire = Wire::open(server.address);
        let head = whole.head();
        wire.send(&whole.written().as_bytes()[..head.len() + cut]);
        wire.end();
        let answer = wire.answer();
        assert_eq!(answer.status, 400, "cut at {cut}");
        assert_eq!(problem(&answer.body), "urn:care:problem:broken-body");
        assert!(wire.is_over());
    }
    let patient = sent("GET", "/1.0.0/patient/1").over(&mut Wire::open(server.address));
    assert!(patient.body.contains("Ada Example"), "{patient:?}");
}

#[test]
fn broken_chunks_are_refused() {
    let server = start(api());
    let head = sent("PUT", "/1.0.0/patient").body(PUT).chunked().head();
    for chunks in ["zz\r\n", "5\r\n{\"patientId\": 1}\r\n0\r\n\r\n"] {
        let mut wire = Wire::open(server.address);
        wire.send(format!("{head}{chunks}"));
        let answer = wire.answer();
        assert_eq!(problem(&answer.body), "urn:care:problem:broken-body", "{answer:?}");
        assert!(wire.is_over());
    }
}

#[test]
fn a_body_that_does_not_come_is_408() {
    let server = start_hurried(api(), Duration::from_millis(300));
    let whole = sent("PUT", "/1.0.0/patient").body(PUT);
    // The body is longer than the first bytes, which one of the frameworks waits for by itself.
    for whole in [whole.clone(), whole.chunked()] {
        let mut wire = Wire::open(server.address);
        let part = whole.head().len() + 30;
        wire.send(&whole.written().as_bytes()[..part]);
        let begun = Instant::now();
        let answer = wire.answer();
        assert_eq!(answer.status, 408);
        assert_eq!(problem(&answer.body), "urn:care:problem:timed-out");
        assert!(begun.elapsed() >= Duration::from_millis(250));
        assert!(wire.is_over());
    }
}

#[test]
fn the_client_is_told_when_the_connection_ends_and_loses_no_request_on_one_that_stays() {
    let server = start(api());
    let put = |body: &str| sent("PUT", "/1.0.0/patient").body(body);
    let next = sent("GET", "/1.0.0/patient/1");
    let [long, longer] = [300, 300_000].map(|length| format!("{PUT}{}", " ".repeat(length)));
    for (status, sent) in [
        (200, put(PUT)),
        (200, put(PUT).chunked()),
        (400, put("{")),
        (404, put(r#"{"patientId": 2}"#)),
        (401, put(PUT).without_key()),
        (401, put(PUT).without_key().chunked()),
        (404, sent("PUT", "/1.0.0/nothing").body(PUT)),
        (405, sent("PATCH", "/1.0.0/patient").body(PUT)),
        (406, put(PUT).header("Accept", "text/html")),
        (413, put(&long)),
        (413, put(&long).chunked()),
        (413, put(&longer).chunked()),
        (204, sent("OPTIONS", "/1.0.0/patient").raw_body("{}").without_key()),
        (404, sent("GET", "/1.0.0/patient/2")),
        (401, sent("GET", "/1.0.0/patient/2").without_key()),
    ] {
        let mut wire = Wire::open(server.address);
        // Both requests are sent at once, as by a client that does not wait.
        wire.send(sent.written() + &next.written());
        let answer = wire.answer();
        assert_eq!(answer.status, status, "{sent:?}");
        match answer.header("connection") {
            Some("close") => assert!(wire.is_over(), "{sent:?}"),
            _ => assert_eq!(wire.answer().status, 200, "{sent:?}"),
        }
    }
}

#[test]
fn unfinished_bodies_end_in_favour_of_others() {
    const LENGTH: usize = 1 << 20;
    let server = start(api().with_limits(Limits::new().with_body(LENGTH)));
    let head = sent("PUT", "/1.0.0/patient").header("Content-Type", "application/json");
    let head = head.header("Content-Length", &LENGTH.to_string()).head();
    // A key has 60 MiB, and the first body no longer makes progress.
    let mut wires: Vec<_> = (0..62).map(|_| Wire::open(server.address)).collect();
    let body = " ".repeat(LENGTH - 1);
    for wire in &mut wires {
        wire.send(head.as_bytes());
        wire.send(body.as_bytes());
    }
    let first = wires[0].answer();
    assert_eq!((first.status, problem(&first.body)), (408, "urn:care:problem:timed-out"));
    assert_eq!(first.header("connection"), Some("close"));
    assert!(wires[0].is_over());
    let last = wires.last_mut().unwrap();
    last.send(" ");
    assert_eq!(last.answer().status, 400);
}

#[test]
fn a_body_that_comes_slowly_is_read() {
    let server = start(api());
    let mut wire = Wire::open(server.address);
    for byte in sent("PUT", "/1.0.0/patient").body(PUT).written().as_bytes() {
        wire.send([*byte]);
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(wire.answer().status, 200);
}

#[test]
fn a_client_that_waits_to_be_asked_for_the_body_is_asked() {
    let server = start(api());
    let mut wire = Wire::open(server.address);
    let sent = sent("PUT", "/1.0.0/patient").body(PUT).header("Expect", "100-continue");
    wire.send(sent.head());
    assert!(wire.line_is("HTTP/1.1 100 Continue"));
    wire.send(PUT);
    assert_eq!(wire.answer().status, 200);
}

#[test]
fn a_write_whose_client_has_left_is_done() {
    let (api, gate) = gated_api();
    let server = start(api);
    let mut wire = Wire::open(server.address);
    wire.send(sent("PUT", "/1.0.0/patient").body(PUT).written());
    gate.wait_for_a_write();
    drop(wire);
    // The server gets some time to notice.
    thread::sleep(Duration::from_millis(200));
    gate.open();
    let begun = Instant::now();
    loop {
        let patient = sent("GET", "/1.0.0/patient/1").over(&mut Wire::open(server.address));
        if patient.body.contains("Ada Different") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{patient:?}");
        thread::sleep(Duration::from_millis(10));
    }
}
