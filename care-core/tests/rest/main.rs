//! Behaviour that a case file cannot show: waiting, broken bodies, failing stores.

#![cfg(feature = "rest")]
#![allow(clippy::unwrap_used, reason = "a test's expectations")]

mod bodies;
mod crowding;
mod events;
mod failing;
mod hosting;
mod keys;
mod logging;
mod pages;
mod repeating;
mod reports;
mod scopes;
mod today;
mod unread;
mod waiting;

use std::pin::Pin;

use bytes::Bytes;
use care_core::{
    keys::{KeyRing, Scopes},
    rest::{Api, BodyOutcome, HeadOutcome, Pending},
    service::CareService,
    store::CareStore,
};
use futures_executor::block_on;
use http::{Request, Response, request::Builder};

/// Returns the API over this store, with one key.
fn api(store: impl CareStore + 'static) -> Api {
    serving(CareService::new(store))
}

fn serving(care: CareService) -> Api {
    Api::new(care).with_keys(KeyRing::new().with_key("key", "key", Scopes::ALL))
}

/// Returns a request with the key.
fn request(method: &str, path: &str) -> Builder {
    request_of("key", method, path)
}

fn request_of(key: &str, method: &str, path: &str) -> Builder {
    Request::builder().method(method).uri(format!("/1.0.0{path}")).header("api_key", key)
}

fn with_json(request: Builder, body: &'static str) -> Request<Bytes> {
    request
        .header("Content-Type", "application/json")
        .header("Content-Length", body.len())
        .body(Bytes::from_static(body.as_bytes()))
        .unwrap()
}

fn send(api: &Api, request: Request<Bytes>) -> Response<Bytes> {
    block_on(api.handle(request))
}

fn get(api: &Api, path: &str) -> Response<Bytes> {
    send(api, request("GET", path).body(Bytes::new()).unwrap())
}

/// An answer that may be awaited beside others.
type Answer = Pin<Box<dyn Future<Output = Response<Bytes>>>>;

/// Returns the answer to a request of this key, which begins with the first poll.
fn asked(api: &Api, key: &str, path: &str) -> Answer {
    let (api, request) = (api.clone(), request_of(key, "GET", path).body(Bytes::new()).unwrap());
    Box::pin(async move { api.handle(request).await })
}

/// Returns the answer to a request, whose body arrives once it is asked for. It begins with the first poll.
fn exchanged(api: &Api, request: Builder, body: &'static str) -> Answer {
    let (head, ()) = request.body(()).unwrap().into_parts();
    let answer = api.answer(head, async |_| BodyOutcome::Whole(Bytes::from_static(body.as_bytes())));
    Box::pin(answer)
}

/// Returns a request whose body is still missing.
fn begun(api: &Api, request: Builder) -> Pending {
    let (head, ()) = request.body(()).unwrap().into_parts();
    match block_on(api.begin(head)) {
        HeadOutcome::Body(pending) => pending,
        HeadOutcome::Answer(answer) => panic!("{answer:?}"),
    }
}

/// Returns the answer to a request whose body has arrived.
fn finished(pending: Pending, body: &'static str) -> Answer {
    Box::pin(pending.finish(BodyOutcome::Whole(Bytes::from_static(body.as_bytes()))))
}

fn text(answer: &Response<Bytes>) -> &str {
    str::from_utf8(answer.body()).unwrap()
}

/// Returns whether the answer is a problem document of this kind.
fn is_problem(answer: &Response<Bytes>, status: u16, kind: &str) -> bool {
    answer.status() == status && text(answer).contains(&format!("\"urn:care:problem:{kind}\""))
}
