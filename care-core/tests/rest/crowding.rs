//! Too many requests at once, and requests that take too long.

use std::{future::pending, pin::Pin, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    error::{Error, StoreError},
    model::ApiKey,
    rest::{Api, BodyOutcome, File, Files, HeadOutcome, Limits, Pending},
    store::{
        Act, ApiKeys, Decision, Entry, Epoch, Journal, KeyDecision, Limit, MemoryStore, Portion, Query, Question,
        Record, Records, ReplayError, Seq, Versioned,
    },
};
use futures_executor::block_on;
use futures_util::FutureExt as _;
use http::{Response, Version, header};

use super::{api, get, is_problem, request, send, text, with_json};

/// A store that answers point reads, and never anything else.
#[derive(Debug, Default)]
struct Stuck(MemoryStore);

#[async_trait]
impl Records for Stuck {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        self.0.read(question).await
    }

    async fn list(&self, _: &Query, _: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        pending().await
    }
}

#[async_trait]
impl Journal for Stuck {
    fn epoch(&self) -> Epoch {
        Epoch::new(1)
    }

    async fn transact(&self, _: Act, _: Decision) -> Result<Option<Seq>, Error> {
        pending().await
    }

    async fn replay(&self, _: Vec<Entry>) -> Result<(), ReplayError> {
        pending().await
    }

    async fn journal(&self, _: Seq, _: Limit) -> Result<Portion<Entry>, StoreError> {
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

/// Returns a request whose body is still missing.
fn begun(api: &Api) -> Pending {
    let (head, ()) =
        request("PUT", "/patient").header("Content-Type", "application/json").body(()).unwrap().into_parts();
    match block_on(api.begin(head)) {
        HeadOutcome::Body(pending) => pending,
        HeadOutcome::Answer(answer) => panic!("{answer:?}"),
    }
}

/// Returns a list under way, which never ends on a stuck store.
fn under_way(api: &Api) -> Pin<Box<impl Future<Output = Response<Bytes>>>> {
    let (head, ()) = request("GET", "/patient").body(()).unwrap().into_parts();
    let HeadOutcome::Body(pending) = block_on(api.begin(head)) else {
        panic!("it is refused");
    };
    let mut answer = Box::pin(pending.finish(BodyOutcome::Whole(Bytes::new())));
    assert!(answer.as_mut().now_or_never().is_none());
    answer
}

#[test]
fn one_too_many_is_told_at_once_and_the_others_go_on() {
    let api = api(Stuck::default()).with_limits(Limits::new().with_in_flight(2));
    let (first, second) = (under_way(&api), under_way(&api));
    let refused = get(&api, "/patient/1");
    assert!(is_problem(&refused, 503, "overloaded"), "{refused:?}");
    assert!(refused.headers().contains_key(header::RETRY_AFTER));
    // Dropping the request of a disconnected client frees its place.
    drop(second);
    assert!(is_problem(&get(&api, "/patient/1"), 404, "not-found"));
    let _again = under_way(&api);
    assert!(is_problem(&get(&api, "/patient/1"), 503, "overloaded"));
    drop(first);
}

#[test]
fn every_handle_counts_the_same_requests() {
    let api = api(Stuck::default()).with_limits(Limits::new().with_in_flight(1));
    let other = api.clone().with_base_path("/1.0.0").unwrap();
    let _first = under_way(&other);
    assert!(is_problem(&get(&api, "/patient/1"), 503, "overloaded"));
}

#[test]
fn a_request_without_its_body_has_no_place_yet() {
    let api = api(MemoryStore::new()).with_limits(Limits::new().with_in_flight(1));
    let waiting: Vec<_> = (0..100).map(|_| begun(&api)).collect();
    assert!(is_problem(&get(&api, "/patient/1"), 404, "not-found"));
    for pending in waiting {
        let answer = block_on(pending.finish(BodyOutcome::Whole(Bytes::from_static(br#"{"patientId":1}"#))));
        assert!(is_problem(&answer, 404, "not-found"), "{answer:?}");
    }
}

#[test]
fn what_needs_no_key_is_answered_from_the_head_alone() {
    // None of these requests needs a place.
    let api = api(MemoryStore::new()).with_limits(Limits::new().with_in_flight(0));
    let head = |method, path, key| {
        let request = http::Request::builder().method(method).uri(format!("/1.0.0{path}"));
        let request = request.header("Transfer-Encoding", "chunked").header("api_key", key);
        request.body(()).unwrap().into_parts().0
    };
    for (method, path, status) in [
        ("GET", "/openapi.json", 200),
        ("HEAD", "/openapi.json", 200),
        ("OPTIONS", "/patient", 204),
        ("PUT", "/patient", 401),
        ("GET", "/nothing", 401),
        ("GET", "/../nothing", 401),
    ] {
        let HeadOutcome::Answer(answer) = block_on(api.begin(head(method, path, "nobody's"))) else {
            panic!("{method} {path} waits for a body");
        };
        assert_eq!(answer.status(), status, "{method} {path}");
        // The body is left unread, so the server could not find the next request on this connection.
        assert_eq!(answer.headers()[header::CONNECTION], "close", "{method} {path}");
    }
}

#[test]
fn a_long_answer_without_a_key_is_the_last_one_over_its_connection() {
    let page = |length: usize| File::new("text/html", vec![b' '; length]);
    let files = Files::new().with("desk/short", page(64 * 1024)).with("desk/long", page(64 * 1024 + 1));
    let api = api(MemoryStore::new()).with_console(files);
    let closes = |method: &str, path: &str| {
        let request = http::Request::builder().method(method).uri(format!("/1.0.0{path}"));
        match block_on(api.begin(request.body(()).unwrap().into_parts().0)) {
            HeadOutcome::Answer(answer) => answer.headers().contains_key(header::CONNECTION),
            HeadOutcome::Body(_) => panic!("it waits for a body"),
        }
    };
    assert!(closes("GET", "/openapi.json") && closes("GET", "/desk/long"));
    // An answer without a body keeps the connection, and so does a short one.
    assert!(!closes("HEAD", "/openapi.json") && !closes("GET", "/desk/short") && !closes("GET", "/patient/1"));
}

#[test]
fn an_answer_says_so_when_the_connection_ends() {
    let api = api(MemoryStore::new());
    let closes = |answer: &Response<Bytes>| {
        answer.headers().get(header::CONNECTION).is_some_and(|connection| connection == "close")
    };
    for received in [BodyOutcome::TooLarge, BodyOutcome::TimedOut, BodyOutcome::Broken] {
        let answer = block_on(begun(&api).finish(received));
        assert!(closes(&answer), "{answer:?}");
    }
    let whole = block_on(begun(&api).finish(BodyOutcome::Whole(Bytes::from_static(b"{}"))));
    assert!(is_problem(&whole, 400, "malformed") && !closes(&whole), "{whole:?}");
    // The head alone is refused. It announces a body, or none.
    let refused = |length: &str, version| {
        let request = request("PUT", "/nothing").version(version).header(header::CONTENT_LENGTH, length);
        match block_on(api.begin(request.body(()).unwrap().into_parts().0)) {
            HeadOutcome::Answer(answer) => answer,
            HeadOutcome::Body(_) => panic!("it waits for a body"),
        }
    };
    assert!(closes(&refused("2", Version::HTTP_11)) && closes(&refused("x", Version::HTTP_11)));
    assert!(!closes(&refused("0", Version::HTTP_11)));
    // HTTP/2 closes streams, not connections, and forbids this header.
    assert!(!closes(&refused("2", Version::HTTP_2)));
    // This host has read the body.
    assert!(!closes(&send(&api, with_json(request("PUT", "/nothing"), "{}"))));
}

#[test]
fn what_takes_too_long_is_answered() {
    let api = api(Stuck::default()).with_limits(Limits::new().with_deadline(Duration::from_millis(5)));
    let read = get(&api, "/patient");
    assert!(is_problem(&read, 503, "late"), "{read:?}");
    assert!(read.headers().contains_key(header::RETRY_AFTER));
    // The outcome is unknown, so the answer does not say that a repetition is safe.
    let write = send(&api, with_json(request("POST", "/patient"), "{}"));
    assert!(is_problem(&write, 500, "late"), "{write:?}");
    assert!(text(&write).contains("not known"));
    assert!(!write.headers().contains_key(header::RETRY_AFTER));
    // A point read is still answered.
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
