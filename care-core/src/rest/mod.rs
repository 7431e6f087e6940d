//! The contract over HTTP, framework-free. STUB while the seams are laid.

#![allow(
    dead_code,
    reason = "the pipeline that uses the codecs is still to come"
)]

mod faults;
mod form;
mod json;
mod media;
mod members;
mod negotiate;
mod path;
mod value;
mod xml;

use bytes::Bytes;
use http::{Request, Response, request::Parts};

/// The REST contract, ready to be mounted. A cheap handle: clone it freely.
#[derive(Debug, Clone)]
pub struct Api {
    base: std::sync::Arc<str>,
}

/// What is known once the head of a request has been read.
#[derive(Debug)]
pub enum Begun {
    /// The answer stands already; the body need not be read.
    Answer(Response<Bytes>),
    /// Read the body, at most `Pending::body_limit()` bytes of it, and finish.
    Body(Pending),
}

/// What became of reading the body.
#[derive(Debug)]
pub enum Received {
    /// All of it (empty when there is none).
    Whole(Bytes),
    /// It is longer than the limit.
    TooLarge,
    /// It did not arrive in time.
    TimedOut,
    /// The connection broke, or its framing was wrong.
    Broken,
}

/// A request whose head was accepted and whose body is still to come.
#[derive(Debug)]
pub struct Pending {
    api: Api,
    head: Parts,
}

impl Api {
    /// Stub.
    pub fn new(base: &str) -> Self {
        Self { base: base.into() }
    }
    /// The base path, for example `/1.0.0`; empty for the root.
    pub fn base_path(&self) -> &str {
        &self.base
    }
    /// Looks at the head alone. Infallible. The URI's raw path and all headers must be as they came in.
    pub fn begin(&self, head: Parts) -> Begun {
        Begun::Body(Pending {
            api: self.clone(),
            head,
        })
    }
    /// Both steps in one, for hosts that have the whole request. Infallible.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        match self.begin(head) {
            Begun::Answer(answer) => answer,
            Begun::Body(pending) => pending.finish(Received::Whole(body)).await,
        }
    }
}

impl Pending {
    /// How many bytes of the body are worth reading; a longer one is `Received::TooLarge`.
    pub fn body_limit(&self) -> usize {
        65_536
    }
    /// Runs the operation. Infallible, `Send`, and holds no lock across an await. A panic inside becomes a 500 answer.
    pub async fn finish(self, received: Received) -> Response<Bytes> {
        let text = format!(
            "{} {} {:?} base={}",
            self.head.method, self.head.uri, received, self.api.base
        );
        Response::new(Bytes::from(text))
    }
}
