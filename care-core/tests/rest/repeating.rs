//! `Idempotency-Key`.

use bytes::Bytes;
use care_core::{rest::Api, store::MemoryStore};
use http::{Response, header};

use super::{api, get, is_problem, request, send, text, with_json};

const ADA: &str = r#"{"name":"Ada Example"}"#;

fn register(api: &Api, keys: &[&str], body: &'static str) -> Response<Bytes> {
    let mut request = request("POST", "/patient");
    for key in keys {
        request = request.header("Idempotency-Key", *key);
    }
    send(api, with_json(request, body))
}

/// How many entries the journal has.
fn commits(api: &Api) -> usize {
    text(&get(api, "/journal?limit=500"))
        .matches("\"seq\":")
        .count()
}

#[test]
fn a_repetition_has_the_first_answer_and_no_effect() {
    let api = api(MemoryStore::new());
    let first = register(&api, &["\"a-1\""], ADA);
    // Quoted and bare are one key.
    let second = register(&api, &["a-1"], ADA);
    assert_eq!(
        (first.status().as_u16(), second.status().as_u16()),
        (201, 201)
    );
    assert_eq!(first.body(), second.body());
    assert_eq!(
        first.headers()[header::LOCATION],
        second.headers()[header::LOCATION]
    );
    assert_eq!(commits(&api), 1);
    assert_eq!(register(&api, &["a-2"], ADA).status(), 201);
    assert_eq!(commits(&api), 2);
}

#[test]
fn another_request_under_the_key_is_refused() {
    let api = api(MemoryStore::new());
    assert_eq!(register(&api, &["k"], ADA).status(), 201);
    let same_record_other_bytes = r#"{"name": "Ada Example"}"#;
    assert!(is_problem(
        &register(&api, &["k"], same_record_other_bytes),
        422,
        "invalid"
    ));
    let other_path = request("POST", "/inventory/Ibuprofen").header("Idempotency-Key", "k");
    assert!(is_problem(
        &send(&api, with_json(other_path, "{}")),
        422,
        "invalid"
    ));
    assert_eq!(commits(&api), 1);
}

#[test]
fn a_key_that_is_none_is_refused() {
    let api = api(MemoryStore::new());
    let long: &str = &"x".repeat(256);
    for keys in [
        &[""][..],
        &["\"\""],
        &["a b"],
        &["\"a"],
        &["a\\b"],
        &["\u{e9}"],
        &[long],
        &["a", "a"],
    ] {
        let answer = register(&api, keys, ADA);
        assert!(is_problem(&answer, 400, "malformed"), "{keys:?}");
        assert!(text(&answer).contains("\"field\":\"Idempotency-Key\""));
    }
    assert_eq!(commits(&api), 0);
    assert_eq!(register(&api, &[&long[1..]], ADA).status(), 201);
}

#[test]
fn keys_of_two_api_keys_do_not_meet() {
    let api = api(MemoryStore::new());
    assert_eq!(register(&api, &["k"], ADA).status(), 201);
    let mut other = with_json(
        request("POST", "/patient").header("Idempotency-Key", "k"),
        ADA,
    );
    other
        .headers_mut()
        .insert("api_key", "two".parse().unwrap());
    assert_eq!(
        send(&api, other).headers()[header::LOCATION],
        "/1.0.0/patient/2"
    );
}

#[test]
fn a_refused_request_may_be_sent_again_under_its_key() {
    let api = api(MemoryStore::new());
    assert_eq!(register(&api, &[], r#"{"patientId":7}"#).status(), 201);
    assert_eq!(register(&api, &["k"], r#"{"patientId":7}"#).status(), 409);
    assert_eq!(register(&api, &["k"], r#"{"patientId":8}"#).status(), 201);
}

#[test]
fn other_methods_do_not_look_at_the_key() {
    let api = api(MemoryStore::new());
    register(&api, &[], ADA);
    for (key, body) in [
        ("k", r#"{"patientId":1,"age":40}"#),
        ("k", r#"{"patientId":1,"age":41}"#),
        ("no key", r#"{"patientId":1,"age":42}"#),
    ] {
        let request = request("PUT", "/patient").header("Idempotency-Key", key);
        assert_eq!(send(&api, with_json(request, body)).status(), 200, "{body}");
    }
    assert!(text(&get(&api, "/patient/1")).contains("\"age\":42"));
}
