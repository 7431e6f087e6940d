//! Too many requests at once, and requests that take too long.

use std::{future::pending, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    error::{Error, StoreError},
    model::ApiKey,
    rest::{Api, Begun, Limits, Pending, Received},
    store::{
        Act, ApiKeys, Decision, Entry, Journal, KeyDecision, MemoryStore, Query, Question, Record, Records,
        ReplayError, Seq, Versioned,
    },
};
use futures_executor::block_on;
use http::header;

use super::{api, get, is_problem, request, send, text, with_json};

/// Answers point reads, and nothing else ever.
#[derive(Debug, Default)]
struct Stuck(MemoryStore);

#[async_trait]
impl Records for Stuck {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        self.0.read(question).await
    }

    async fn list(&self, _: &Query, _: usize) -> Result<Vec<Versioned<Record>>, StoreError> {
        pending().await
    }
}

#[async_trait]
impl Journal for Stuck {
    async fn transact(&self, _: Act, _: Decision) -> Result<Option<Seq>, Error> {
        pending().await
    }

    async fn replay(&self, _: Vec<Entry>) -> Result<(), ReplayError> {
        pending().await
    }

    async fn journal(&self, _: Seq, _: usize) -> Result<Vec<Entry>, StoreError> {
        pending().await
    }
}

#[async_trait]
impl ApiKeys for Stuck {
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        pending().await
    }

    async fn decide_keys(&self, _: KeyDecision) -> Result<(), StoreError> {
        pending().await
    }
}

/// A request whose body is still to come.
fn begun(api: &Api) -> Pending {
    let (head, ()) =
        request("PUT", "/patient").header("Content-Type", "application/json").body(()).unwrap().into_parts();
    match api.begin(head) {
        Begun::Body(pending) => pending,
        Begun::Answer(answer) => panic!("{answer:?}"),
    }
}

#[test]
fn one_too_many_is_told_at_once_and_the_others_go_on() {
    let api = api(MemoryStore::new()).with_limits(Limits::new().with_in_flight(2));
    let (first, second) = (begun(&api), begun(&api));
    for path in ["/patient/1", "/nothing"] {
        let refused = get(&api, path);
        assert!(is_problem(&refused, 503, "overloaded"), "{refused:?}");
        assert!(refused.headers().contains_key(header::RETRY_AFTER));
    }
    let answer = block_on(first.finish(Received::Whole(Bytes::from_static(br#"{"patientId":1}"#))));
    assert!(is_problem(&answer, 404, "not-found"), "{answer:?}");
    // A place is free again; and a client that goes away leaves its own.
    assert_eq!(get(&api, "/patient").status(), 200);
    drop(second);
    let _again = (begun(&api), begun(&api));
    assert!(is_problem(&get(&api, "/patient"), 503, "overloaded"));
}

#[test]
fn every_handle_counts_the_same_requests() {
    let api = api(MemoryStore::new()).with_limits(Limits::new().with_in_flight(1));
    let other = api.clone().with_base_path("/1.0.0").unwrap();
    let _first = begun(&other);
    assert!(is_problem(&get(&api, "/patient"), 503, "overloaded"));
}

#[test]
fn what_takes_too_long_is_answered() {
    let api = api(Stuck::default()).with_limits(Limits::new().with_deadline(Duration::from_millis(5)));
    let read = get(&api, "/patient");
    assert!(is_problem(&read, 503, "late"), "{read:?}");
    assert!(read.headers().contains_key(header::RETRY_AFTER));
    // Whether it happens is not known, so it is not said to be safe to repeat.
    let write = send(&api, with_json(request("POST", "/patient"), "{}"));
    assert!(is_problem(&write, 500, "late"), "{write:?}");
    assert!(text(&write).contains("not known"));
    assert!(!write.headers().contains_key(header::RETRY_AFTER));
    // A point read is answered beside them.
    assert!(is_problem(&get(&api, "/patient/1"), 404, "not-found"));
}

#[test]
fn a_page_has_at_most_what_the_limit_says() {
    let api = api(MemoryStore::new()).with_limits(Limits::new().with_page(2));
    for _ in 0..3 {
        assert_eq!(send(&api, with_json(request("POST", "/patient"), "{}")).status(), 201);
    }
    assert!(is_problem(&get(&api, "/patient?limit=3"), 400, "malformed"));
    for path in ["/patient", "/patient?limit=2"] {
        let page = get(&api, path);
        assert_eq!(text(&page).matches("\"patientId\"").count(), 2, "{path}");
        assert!(page.headers().contains_key(header::LINK));
    }
    assert!(api.openapi().contains("\"maximum\": 2,"));
}
