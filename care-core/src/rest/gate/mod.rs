//! The checks of a request in their fixed order: [`Api::begin`] checks the head, [`Pending::finish`] takes the body and
//! runs the operation.

pub(crate) mod bodies;
mod deadline;
mod exchange;
mod facade;
pub(crate) mod files;
mod head;
mod permits;
pub(crate) mod run;
#[cfg(feature = "tower")]
pub(crate) mod service;
pub(crate) mod settings;
mod tally;
mod telemetry;
pub(crate) mod throttle;

use std::pin::pin;

use bytes::Bytes;
use http::{Request, Response, request::Parts};

use crate::{error::Error, rest::contract::problem::Problem};
use bodies::BodyPermit;
use exchange::{Exchange, Verdict};
use run::BodyOutcome;
use settings::Api;

/// The result of checking the head of a request.
#[derive(Debug)]
#[must_use = "the client waits for the answer"]
pub enum HeadOutcome {
    /// The answer is complete; do not read the body.
    Answer(Response<Bytes>),
    /// Read the body under its [permit](Pending::body_permit), and finish.
    Body(Pending),
}

/// A request whose head was accepted and whose body is still missing. It counts among the requests of its key until it
/// is finished or dropped.
#[derive(Debug)]
#[must_use = "the request is answered only when it is finished"]
pub struct Pending(Box<Exchange>);

impl Api {
    /// Answers a request. For hosts that have the whole request; others call [`begin`](Self::begin).
    ///
    /// Infallible: every failure is an answer, a panic too. The answer has a `Content-Length`; the other two methods
    /// leave that header to the host, except for a `HEAD`.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        match checked(self.exchange(head, Some(body.len()))).await {
            Checked::Answer(answer) => answer,
            Checked::Accepted(exchange) if exchange.takes_body() && body.len() > exchange.body_limit() => {
                exchange.finish(BodyOutcome::TooLarge).await
            }
            Checked::Accepted(exchange) => exchange.finish(BodyOutcome::Whole(body)).await,
        }
    }

    /// Checks the head alone, refuses whatever can be refused without the body, and answers whatever has none: each
    /// operation without a body, and requests that need no key.
    ///
    /// Leave the body of a request that is answered here unread: its client could take its time to send it. An answer
    /// that leaves a body unread says `Connection: close`.
    ///
    /// The URI must hold the unchanged path and query, and the headers must be complete. With a
    /// [`Peer`](throttle::Peer) among the extensions, the address can be [slowed down](throttle::Throttle), and counts
    /// as a key of its own while it has none. Infallible.
    pub fn begin(&self, head: Parts) -> impl Future<Output = HeadOutcome> + Send + use<> {
        let exchange = self.exchange(head, None);
        async move {
            match checked(exchange).await {
                Checked::Answer(answer) => HeadOutcome::Answer(answer),
                Checked::Accepted(exchange) if exchange.takes_body() => HeadOutcome::Body(Pending(exchange)),
                Checked::Accepted(exchange) => HeadOutcome::Answer(exchange.finish(BodyOutcome::NONE).await),
            }
        }
    }

    /// Answers a request, and reads its body by `receive` where it is needed, under the permit that `receive` gets. For
    /// hosts that do nothing between the [head](Self::begin) and the body. Infallible.
    pub fn answer<F: Future<Output = BodyOutcome>, R: FnOnce(BodyPermit) -> F>(
        &self,
        head: Parts,
        receive: R,
    ) -> impl Future<Output = Response<Bytes>> + use<F, R> {
        let exchange = self.exchange(head, None);
        async move {
            let exchange = match checked(exchange).await {
                Checked::Answer(answer) => return answer,
                Checked::Accepted(exchange) => exchange,
            };
            let received = match exchange.takes_body() {
                true => receive(exchange.body_permit()).await,
                false => BodyOutcome::NONE,
            };
            exchange.finish(received).await
        }
    }

    /// Answers one of the host's own requests with the problem for this error, in the form that the request accepts, so
    /// that the host's routes refuse requests as the service does.
    ///
    /// ```
    /// use care_core::{Error, rest::Api, service::CareService, store::{MemoryStore, RecordKind}};
    ///
    /// let api = Api::new(CareService::new(MemoryStore::new()));
    /// let (head, ()) = http::Request::get("/ours").body(())?.into_parts();
    /// let answer = api.problem(head, Error::NotFound(RecordKind::Patient));
    /// assert_eq!(answer.status(), http::StatusCode::NOT_FOUND);
    /// assert_eq!(answer.headers()["content-type"], "application/problem+json");
    /// # Ok::<(), http::Error>(())
    /// ```
    pub fn problem(&self, head: Parts, error: Error) -> Response<Bytes> {
        Exchange::new(self.clone(), head, Some(0)).respond(Err(Problem::Domain(error)), None, true)
    }

    /// Returns the exchange of a request, of whose body the host has this many bytes if it has all of it.
    fn exchange(&self, head: Parts, whole: Option<usize>) -> Box<Exchange> {
        // Boxed before there is a future: frontends move that through several others, each of which would contain it.
        Box::new(Exchange::new(self.clone(), head, whole))
    }
}

impl Pending {
    /// Returns the limit of the body in bytes. A longer one is [`BodyOutcome::TooLarge`].
    pub fn body_limit(&self) -> usize {
        self.0.body_limit()
    }

    /// Returns the permit to receive the body. End the body once the permit is
    /// [revoked](BodyPermit::revoked), and drop the permit before [`finish`](Self::finish).
    pub fn body_permit(&self) -> BodyPermit {
        self.0.body_permit()
    }

    /// Runs the operation. Infallible; the future is `Send` and holds no lock across an await.
    ///
    /// Dropping it is safe at any time: a change happens as a whole or not at all, and a poll gives its permit back. A
    /// host may still prefer to let a write continue when its client disconnects, so that it happens.
    pub fn finish(self, received: BodyOutcome) -> impl Future<Output = Response<Bytes>> + Send + use<> {
        self.0.finish(received)
    }
}

/// The result of checking the head.
enum Checked {
    Answer(Response<Bytes>),
    /// The operation is to be run, once its body is there if it takes one.
    Accepted(Box<Exchange>),
}

/// Runs the checks of the head.
async fn checked(mut exchange: Box<Exchange>) -> Checked {
    let verdict = run::caught(pin!(exchange.check_head())).await.unwrap_or(Err(Problem::Internal));
    match verdict {
        Ok(Verdict::Accepted) => Checked::Accepted(exchange),
        Ok(Verdict::Answered(answer)) => Checked::Answer(exchange.respond_to_head(Ok(answer))),
        Err(problem) => Checked::Answer(exchange.respond_to_head(Err(problem))),
    }
}
