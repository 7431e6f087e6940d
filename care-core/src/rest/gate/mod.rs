//! From the head of a request to its answer, through the checks in their fixed order: [`Api::begin`] looks at the head,
//! [`Pending::finish`] takes the body and runs the operation.

pub(crate) mod admission;
pub(crate) mod check;
pub(crate) mod deadline;
pub(crate) mod exchange;
pub(crate) mod files;
pub(crate) mod meter;
pub(crate) mod pending;
#[cfg(feature = "tower")]
pub(crate) mod service;
pub(crate) mod settings;
pub(crate) mod tally;
pub(crate) mod throttle;

use std::pin::pin;

use bytes::Bytes;
use http::{Request, Response, request::Parts};

use crate::{error::Error, rest::contract::problem::Problem};
use exchange::{Asked, Exchange, Known};
use pending::{Pending, catch};
use settings::Api;

/// What is known once the head of a request has been read.
#[derive(Debug)]
pub enum HeadOutcome {
    /// The answer stands already; the body need not be read.
    Answer(Response<Bytes>),
    /// Read the body, at most [`Pending::body_limit`] bytes of it, and finish.
    Body(Pending),
}

/// What became of reading the body.
#[derive(Debug)]
pub enum BodyOutcome {
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
        match self.begin_with(head, true).await {
            HeadOutcome::Answer(answer) => answer,
            HeadOutcome::Body(pending) if body.len() > pending.body_limit() => {
                pending.finish(BodyOutcome::TooLarge).await
            }
            HeadOutcome::Body(pending) => pending.finish(BodyOutcome::Whole(body)).await,
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
    pub async fn begin(&self, head: Parts) -> HeadOutcome {
        self.begin_with(head, false).await
    }

    /// Answers a request of the host's own with the problem that this error is, in the form that the request accepts, so
    /// that the host's routes refuse as those of the service do.
    ///
    /// ```
    /// use care_core::{error::{Error, Kind}, rest::Api, service::CareService, store::MemoryStore};
    ///
    /// let api = Api::new(CareService::new(MemoryStore::new()));
    /// let (head, ()) = http::Request::get("/ours").body(())?.into_parts();
    /// let answer = api.problem(head, Error::NotFound(Kind::Patient));
    /// assert_eq!(answer.status(), http::StatusCode::NOT_FOUND);
    /// assert_eq!(answer.headers()["content-type"], "application/problem+json");
    /// # Ok::<(), http::Error>(())
    /// ```
    pub fn problem(&self, head: Parts, error: Error) -> Response<Bytes> {
        Exchange::new(self.clone(), head, true).answer(Err(Problem::Domain(error)), None, None, true)
    }

    async fn begin_with(&self, head: Parts, is_whole: bool) -> HeadOutcome {
        let exchange = Exchange::new(self.clone(), head, is_whole);
        let mut known = Known::default();
        let asked = catch(pin!(exchange.begin(&mut known))).await;
        match asked.unwrap_or(Err(Problem::Internal)) {
            Ok(Asked::Operation(accepted)) => HeadOutcome::Body(Pending::new(exchange, accepted)),
            Ok(Asked::Answer(answer)) => HeadOutcome::Answer(exchange.answer_head(Ok(answer), &known)),
            Err(problem) => HeadOutcome::Answer(exchange.answer_head(Err(problem), &known)),
        }
    }
}
