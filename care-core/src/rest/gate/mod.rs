//! From the head of a request to its answer, through the checks in their fixed order: [`Api::begin`] looks at the head,
//! [`Pending::finish`] takes the body and runs the operation.

pub(crate) mod admission;
pub(crate) mod check;
pub(crate) mod deadline;
pub(crate) mod exchange;
pub(crate) mod files;
pub(crate) mod pending;
pub(crate) mod settings;
pub(crate) mod tally;
pub(crate) mod throttle;

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use http::{Request, Response, request::Parts};

use crate::rest::contract::problem::Problem;
use exchange::{Asked, Exchange, Known};
use pending::Pending;
use settings::Api;

/// What is known once the head of a request has been read.
#[derive(Debug)]
pub enum Begun {
    /// The answer stands already; the body need not be read.
    Answer(Response<Bytes>),
    /// Read the body, at most [`Pending::body_limit`] bytes of it, and finish.
    Body(Pending),
}

/// What became of reading the body.
#[derive(Debug)]
pub enum Received {
    /// All of it, empty when there is none.
    Whole(Bytes),
    /// It is longer than the limit.
    TooLarge,
    /// It did not arrive in time.
    TimedOut,
    /// The connection broke, or the framing was wrong.
    Broken,
}

impl Api {
    /// Answers a request. For hosts that have the whole of it; the others [`begin`](Self::begin).
    ///
    /// Infallible: whatever goes wrong is an answer, a panic too. The answer has a `Content-Length`; those of the other
    /// two leave it to the host, except to a `HEAD`.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        match self.begin_with(head, true) {
            Begun::Answer(answer) => answer,
            Begun::Body(pending) if body.len() > pending.body_limit() => pending.finish(Received::TooLarge).await,
            Begun::Body(pending) => pending.finish(Received::Whole(body)).await,
        }
    }

    /// Looks at the head alone and refuses what can be refused without the body. What needs no key is answered here too.
    ///
    /// Leave the body of what is answered here unread: a client without a key could take its time to send it. An answer
    /// that leaves one unread says `Connection: close`.
    ///
    /// The URI must hold the path and query as they came in, and the headers be all that came. With
    /// [`Peer`](throttle::Peer) among its extensions, where [it is wanted](Self::wants_peer), the address can be
    /// [slowed down](throttle::Throttle). Infallible.
    pub fn begin(&self, head: Parts) -> Begun {
        self.begin_with(head, false)
    }

    fn begin_with(&self, head: Parts, is_whole: bool) -> Begun {
        let exchange = Exchange::new(self.clone(), head, is_whole);
        let mut known = Known::default();
        let asked = catch_unwind(AssertUnwindSafe(|| exchange.begin(&mut known)));
        match asked.unwrap_or(Err(Problem::Internal)) {
            Ok(Asked::Operation(accepted)) => Begun::Body(Pending::new(exchange, accepted)),
            Ok(Asked::Answer(answer)) => Begun::Answer(exchange.answer_head(Ok(answer), &known)),
            Err(problem) => Begun::Answer(exchange.answer_head(Err(problem), &known)),
        }
    }
}
