//! Bodies that do not arrive, and lengths of those that do.

use bytes::Bytes;
use care_core::{
    rest::{BodyOutcome, HeadOutcome},
    store::MemoryStore,
};
use futures_executor::block_on;

use super::{api, begun, get, is_problem, request, text};

#[test]
fn a_body_that_does_not_arrive_changes_nothing() {
    let api = api(MemoryStore::new());
    for (received, status, kind) in [
        (BodyOutcome::TimedOut, 408, "timed-out"),
        (BodyOutcome::Broken, 400, "broken-body"),
        (BodyOutcome::TooLarge, 413, "too-large"),
    ] {
        let registration = request("POST", "/patient").header("Content-Type", "application/json");
        let answer = block_on(begun(&api, registration).finish(received));
        assert!(is_problem(&answer, status, kind), "{kind}");
    }
    assert!(text(&get(&api, "/journal")).starts_with(r#"{"items":[],"epoch":"#));
}

/// Returns the length in the answer's header.
fn stated(answer: &http::Response<Bytes>) -> Option<usize> {
    answer.headers().get("content-length").map(|length| length.to_str().unwrap().parse().unwrap())
}

#[test]
fn the_length_of_a_body_is_stated_where_nobody_else_can_know_it() {
    let api = api(MemoryStore::new());
    let whole = get(&api, "/patient");
    assert_eq!(stated(&whole), Some(whole.body().len()));
    // In the two-step form the host adds the length of the body.
    let of = |method| {
        let (head, _) = request(method, "/patient").body(Bytes::new()).unwrap().into_parts();
        match block_on(api.begin(head)) {
            HeadOutcome::Answer(answer) => answer,
            HeadOutcome::Body(pending) => block_on(pending.finish(BodyOutcome::Whole(Bytes::new()))),
        }
    };
    assert_eq!((stated(&of("GET")), of("GET").body()), (None, whole.body()));
    let head = of("HEAD");
    assert_eq!((stated(&head), head.body().len()), (stated(&whole), 0));
}
