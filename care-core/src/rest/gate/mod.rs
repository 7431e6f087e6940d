//! The checks of a request in their fixed order: [`Api::begin`] checks the head, [`Pending::finish`] takes the body and
//! runs the operation.

pub(crate) mod check;
pub(crate) mod deadline;
pub(crate) mod exchange;
mod face;
pub(crate) mod files;
pub(crate) mod meter;
pub(crate) mod pending;
#[cfg(feature = "tower")]
pub(crate) mod service;
pub(crate) mod settings;
pub(crate) mod tally;
pub(crate) mod throttle;
mod unread;
mod weight;

use std::pin::pin;

use bytes::Bytes;
use http::{Request, Response, request::Parts};

use crate::{error::Error, rest::contract::problem::Problem};
use exchange::Exchange;
use pending::{BodyOutcome, Pending, catch};
use settings::Api;

/// The result of checking the head of a request.
#[derive(Debug)]
#[must_use = "the client waits for the answer"]
pub enum HeadOutcome {
    /// The answer is complete; do not read the body.
    Answer(Response<Bytes>),
    /// Read the body, at most [`Pending::body_limit`] bytes, and finish.
    Body(Pending),
}

impl Api {
    /// Answers a request. For hosts that have the whole request; others call [`begin`](Self::begin).
    ///
    /// Infallible: every failure is an answer, a panic too. The answer has a `Content-Length`; the other two methods
    /// leave that header to the host, except for a `HEAD`.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        match begun(self.exchange(head, true)).await {
            HeadOutcome::Answer(answer) => answer,
            HeadOutcome::Body(pending) if body.len() > pending.body_limit() => {
                pending.finish(BodyOutcome::TooLarge).await
            }
            HeadOutcome::Body(pending) => pending.finish(BodyOutcome::Whole(body)).await,
        }
    }

    /// Checks the head alone, and refuses whatever can be refused without the body. Requests that need no key are
    /// answered here too.
    ///
    /// Leave the body of a request that is answered here unread: a client without a key could take its time to send it.
    /// An answer that leaves a body unread says `Connection: close`.
    ///
    /// The URI must hold the unchanged path and query, and the headers must be complete. With [`Peer`](throttle::Peer)
    /// among the extensions, where [it is wanted](Self::wants_peer), the address can be [slowed
    /// down](throttle::Throttle). Infallible.
    pub fn begin(&self, head: Parts) -> impl Future<Output = HeadOutcome> + Send + use<> {
        begun(self.exchange(head, false))
    }

    /// Answers a request, and reads its body by `receive` where it is needed: at most as many bytes as `receive` is
    /// told. For hosts that do nothing between the [head](Self::begin) and the body. Infallible.
    pub fn answer<F: Future<Output = BodyOutcome>, R: FnOnce(usize) -> F>(
        &self,
        head: Parts,
        receive: R,
    ) -> impl Future<Output = Response<Bytes>> + use<F, R> {
        let exchange = self.exchange(head, false);
        async move {
            match begun(exchange).await {
                HeadOutcome::Answer(answer) => answer,
                HeadOutcome::Body(pending) => {
                    let received = receive(pending.body_limit()).await;
                    pending.finish(received).await
                }
            }
        }
    }

    /// Answers one of the host's own requests with the problem for this error, in the form that the request accepts, so
    /// that the host's routes refuse requests as the service does.
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
        Exchange::new(self.clone(), head, true).answer(Err(Problem::Domain(error)), None, true)
    }

    /// Returns the exchange of a request.
    fn exchange(&self, head: Parts, is_whole: bool) -> Box<Exchange> {
        // Boxed before there is a future: frontends move that through several others, each of which would contain it.
        Box::new(Exchange::new(self.clone(), head, is_whole))
    }
}

/// Runs the checks of the head.
async fn begun(mut exchange: Box<Exchange>) -> HeadOutcome {
    let begun = catch(pin!(exchange.begin())).await.unwrap_or(Err(Problem::Internal));
    match begun {
        Ok(None) => HeadOutcome::Body(Pending(exchange)),
        Ok(Some(answer)) => HeadOutcome::Answer(exchange.answer_head(Ok(answer))),
        Err(problem) => HeadOutcome::Answer(exchange.answer_head(Err(problem))),
    }
}
