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
    check::{self, Length, Negotiation},
    exchange::Exchange,
};
use crate::{
    keys::Principal,
    rest::{
        contract::{answer::Answer, operation::Operation, problem::Problem},
        operations::{idempotency, poll::Poll, reads, request::Request, run},
    },
};

/// A request whose head was accepted and whose body is still missing.
#[derive(Debug)]
#[must_use = "the request is answered only when it is finished"]
pub struct Pending(pub(super) Box<Exchange>);

/// The result of reading the body.
#[derive(Debug)]
pub enum BodyOutcome {
    /// The whole body, empty when there is none.
    Whole(Bytes),
    /// The body is longer than the limit.
    TooLarge,
    /// The body did not arrive in time.
    TimedOut,
    /// The connection broke, or the framing was wrong.
    Broken,
}

impl Pending {
    /// Returns the limit of the body in bytes. A longer one is [`BodyOutcome::TooLarge`].
    pub fn body_limit(&self) -> usize {
        self.0.api.contract().limits().body
    }

    /// Runs the operation. Infallible; the future is `Send` and holds no lock across an await.
    ///
    /// Dropping it is safe at any time: a change happens as a whole or not at all, and a poll gives its place back. A
    /// host may still prefer to let a write continue when its client disconnects, so that it happens.
    pub fn finish(self, received: BodyOutcome) -> impl Future<Output = Response<Bytes>> + Send + use<> {
        let exchange = self.0;
        // An `async fn` would contain its arguments twice, and the parts that are pinned here need not be moved.
        async move {
            let outcome = exchange.outcome(&received).await;
            exchange.answer(outcome, matches!(received, BodyOutcome::Whole(_)))
        }
    }
}

impl Exchange {
    /// Waits as long as a poll may, and runs the operation, each in a place of its own.
    async fn outcome(&self, received: &BodyOutcome) -> Result<Answer, Problem> {
        if let Some(facade) = &self.facade {
            return self.facade_outcome(&**facade, received).await;
        }
        let (operation, principal) = self.accepted()?;
        let (negotiation, body) = self.body(operation, received)?;
        let (places, limits) = (self.api.places(), self.api.contract().limits());
        let mut place = places.request(limits)?;
        if operation.is_answered_at_length() && self.api.unread().is_crammed(limits.unread) {
            return Err(Problem::Overloaded);
        }
        if let Some(poll) = Poll::of(operation, &self.head)
            && !self
                .limited(operation.method() == Method::GET, pin!(async { Ok(poll.is_over(self.api.care()).await?) }))
                .await?
        {
            // The new place is taken before the old one is freed by the assignment.
            place = places.poll(limits)?;
            catch(Box::pin(poll.wait(self.api.care())).as_mut()).await.ok_or(Problem::Internal)?;
        }
        let step = pin!(self.run(operation, principal, negotiation, body));
        let answer = self.limited(operation.method() == Method::GET, step).await;
        drop(place);
        answer
    }

    /// Awaits a step within the deadline, and makes a panic in it an answer.
    pub(super) async fn limited<T>(
        &self,
        is_read: bool,
        step: Pin<&mut impl Future<Output = Result<T, Problem>>>,
    ) -> Result<T, Problem> {
        let (deadlines, deadline) = (self.api.deadlines(), self.api.contract().limits().deadline);
        match deadlines.within(deadline, pin!(catch(step))).await {
            Some(done) => done.unwrap_or(Err(Problem::Internal)),
            None => Err(Problem::Late { is_read }),
        }
    }

    /// Runs the checks that had to wait for the body, and returns it with the forms.
    fn body<'a>(&self, operation: Operation, received: &'a BodyOutcome) -> Result<(Negotiation, &'a [u8]), Problem> {
        let length = match received {
            BodyOutcome::Whole(body) => Length::Known(body.len()),
            BodyOutcome::TooLarge => Length::Known(usize::MAX),
            BodyOutcome::TimedOut | BodyOutcome::Broken => Length::Unknown,
        };
        let negotiation = match self.negotiation {
            Some(negotiation) => negotiation,
            None => check::negotiate(operation, &self.head, length, self.api.contract().limits().body)?,
        };
        match received {
            BodyOutcome::Whole(body) => Ok((negotiation, body)),
            BodyOutcome::TooLarge => Err(Problem::TooLarge),
            BodyOutcome::TimedOut => Err(Problem::TimedOut),
            BodyOutcome::Broken => Err(Problem::BrokenBody),
        }
    }

    async fn run(
        &self,
        operation: Operation,
        principal: &Principal,
        negotiation: Negotiation,
        body: &[u8],
    ) -> Result<Answer, Problem> {
        let api = &self.api;
        // Reads need no actor, and a handle of one's own would cost each of them a share in all of its parts.
        let acting = (operation.method() != Method::GET).then(|| {
            let until = Instant::now().checked_add(api.contract().limits().deadline);
            let acting = api.care().acting_as(Arc::clone(&principal.name)).until(until);
            if api.contract().audits_reads() { acting.with_noted_reads() } else { acting }
        });
        let mut request = Request {
            operation,
            head: &self.head,
            parameter: &self.parameter,
            body,
            body_format: negotiation.body,
            format: negotiation.answer,
            principal,
            contract: api.contract(),
            care: acting.as_ref().unwrap_or(api.care()),
        };
        let once = idempotency::read(&request)?;
        let once = once.map(|once| request.care.once(once.owned_by(&*principal.id)));
        if let Some(once) = &once {
            request.care = once;
        }
        let turn = api.places().turn(operation, self.head.uri.query(), &principal.id, api.contract().limits()).await?;
        self.unless_revoked().await?;
        let answer = run::run(&request).await?;
        drop(turn);
        if api.contract().audits_reads() {
            reads::note(&request, &principal.name).await?;
        }
        Ok(answer)
    }
}

/// Awaits a future, and turns a panic in it into `None`, so that only this answer is lost.
pub(crate) fn catch<T>(mut future: Pin<&mut impl Future<Output = T>>) -> impl Future<Output = Option<T>> {
    std::future::poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Some),
        Err(_) => task::Poll::Ready(None),
    })
}
