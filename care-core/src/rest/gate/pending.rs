//! A request between its head and its answer.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::Arc,
    task,
    time::Instant,
};

use bytes::Bytes;
use http::{Method, Response};

use super::{
    BodyOutcome,
    check::{self, Length, Screened},
    exchange::{Accepted, Exchange},
};
use crate::rest::{
    contract::{answer::Answer, problem::Problem},
    operations::{idempotency, poll::Poll, reads, request::Request, run},
};

/// A request whose head was accepted and whose body is still to come.
#[derive(Debug)]
pub struct Pending(
    // Frontends hand it from future to future, and each would be larger for it and copy it.
    Box<Started>,
);

#[derive(Debug)]
struct Started {
    exchange: Exchange,
    accepted: Accepted,
}

impl Pending {
    pub(crate) fn new(exchange: Exchange, accepted: Accepted) -> Self {
        Self(Box::new(Started { exchange, accepted }))
    }

    /// How many bytes of the body are worth reading; a longer one is [`BodyOutcome::TooLarge`].
    pub fn body_limit(&self) -> usize {
        self.0.exchange.api().contract().limits().body
    }

    /// Runs the operation. Infallible; the future is `Send` and holds no lock across an await.
    ///
    /// Dropping it is safe at any time, and a host whose client has left drops it: a change that it was about to make
    /// happens whole or not at all, and a poll gives its place back. Letting a write run on would gain nothing, because a
    /// client that left does not hear of it; it repeats the request, with an `Idempotency-Key` where once must be enough.
    pub fn finish(self, received: BodyOutcome) -> impl Future<Output = Response<Bytes>> + Send + use<> {
        let started = self.0;
        // An `async fn` would keep its arguments twice, and what is pinned here is not handed on.
        async move {
            let outcome = started.outcome(&received).await;
            let Started { exchange, accepted } = &*started;
            let actor = Some(&*accepted.principal.name);
            exchange.answer(outcome, Some(accepted.operation), actor, matches!(received, BodyOutcome::Whole(_)))
        }
    }
}

impl Started {
    /// Waits for what a poll waits for, and runs the operation, each in a place of its own.
    async fn outcome(&self, received: &BodyOutcome) -> Result<Answer, Problem> {
        let (screened, body) = self.screened(received)?;
        let Self { exchange, accepted } = self;
        let (places, limits) = (exchange.api().places(), exchange.api().contract().limits());
        let mut place = places.request(limits)?;
        if let Some(poll) = Poll::of(accepted.operation, exchange.head())
            && !self.limited(pin!(async { Ok(poll.is_over(exchange.api().care()).await?) })).await?
        {
            // The new one first: the old one is free as soon as it is overwritten.
            place = places.poll(limits)?;
            catch(Box::pin(poll.wait(exchange.api().care())).as_mut()).await.ok_or(Problem::Internal)?;
        }
        let answer = self.limited(pin!(self.run(screened, body))).await;
        drop(place);
        answer
    }

    /// Awaits a step within the deadline, and makes a panic in it an answer.
    async fn limited<T>(&self, step: Pin<&mut impl Future<Output = Result<T, Problem>>>) -> Result<T, Problem> {
        let (deadlines, deadline) = (self.exchange.api().deadlines(), self.exchange.api().contract().limits().deadline);
        match deadlines.within(deadline, pin!(catch(step))).await {
            Some(done) => done.unwrap_or(Err(Problem::Internal)),
            None => Err(Problem::Late { is_read: self.accepted.operation.method() == Method::GET }),
        }
    }

    /// The checks that had to wait for the body.
    fn screened<'a>(&self, received: &'a BodyOutcome) -> Result<(Screened, &'a [u8]), Problem> {
        let Self { exchange, accepted } = self;
        let length = match received {
            BodyOutcome::Whole(body) => Length::Known(body.len()),
            BodyOutcome::TooLarge => Length::Known(usize::MAX),
            BodyOutcome::TimedOut | BodyOutcome::Broken => Length::Unknown,
        };
        let screened = match accepted.screened {
            Some(screened) => screened,
            None => {
                check::screen(accepted.operation, exchange.head(), length, exchange.api().contract().limits().body)?
            }
        };
        match received {
            BodyOutcome::Whole(body) => Ok((screened, body)),
            BodyOutcome::TooLarge => Err(Problem::TooLarge),
            BodyOutcome::TimedOut => Err(Problem::TimedOut),
            BodyOutcome::Broken => Err(Problem::BrokenBody),
        }
    }

    async fn run(&self, screened: Screened, body: &[u8]) -> Result<Answer, Problem> {
        let Self { exchange, accepted: Accepted { operation, parameter, principal, .. } } = self;
        let (api, head) = (exchange.api(), exchange.head());
        // Reads are in nobody's name, and a handle of one's own would cost each of them a share in all of its parts.
        let acting = (operation.method() != Method::GET).then(|| {
            let until = Instant::now().checked_add(api.contract().limits().deadline);
            let acting = api.care().acting_as(Arc::clone(&principal.name)).until(until);
            if api.contract().audits_reads() { acting.noting_reads() } else { acting }
        });
        let mut request = Request {
            operation: *operation,
            head,
            parameter,
            body,
            body_format: screened.body,
            format: screened.answer,
            room: exchange.room(),
            scopes: principal.scopes,
            contract: api.contract(),
            care: acting.as_ref().unwrap_or(api.care()),
        };
        let once = idempotency::read(&request)?;
        let once = once.map(|once| request.care.once(once.owned_by(&*principal.id)));
        if let Some(once) = &once {
            request.care = once;
        }
        let answer = run::run(&request).await?;
        if api.contract().audits_reads() {
            reads::note(&request, &principal.name).await?;
        }
        Ok(answer)
    }
}

/// Awaits a future and turns a panic in it into `None`, so that it costs one answer and nothing else.
pub(crate) fn catch<T>(mut future: Pin<&mut impl Future<Output = T>>) -> impl Future<Output = Option<T>> {
    std::future::poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Some),
        Err(_) => task::Poll::Ready(None),
    })
}
