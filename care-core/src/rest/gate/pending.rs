//! A request between its head and its answer.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task,
    time::Instant,
};

use bytes::Bytes;
use http::{Method, Response};

use super::{
    check::{self, Length, Negotiation},
    exchange::Exchange,
    weight::Weight,
};
use crate::{
    keys::Principal,
    rest::{
        contract::{answer::Answer, operation::Operation, problem::Problem},
        fair::Place,
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
            let mut room = None;
            let outcome = exchange.outcome(&received, &mut room).await;
            exchange.answer(outcome, room, matches!(received, BodyOutcome::Whole(_)))
        }
    }
}

impl Exchange {
    /// Waits as long as a poll may, and runs the operation: in the place of the poll if it waited, else in one of a
    /// request under way. Leaves the room of a long answer.
    async fn outcome(&self, received: &BodyOutcome, room: &mut Option<Place>) -> Result<Answer, Problem> {
        if let Some(facade) = &self.facade {
            return self.facade_outcome(&**facade, received, room).await;
        }
        let (operation, principal) = self.accepted()?;
        let (negotiation, body) = self.body(operation, received)?;
        let (api, is_read) = (&self.api, operation.method() == Method::GET);
        let mut place = api.place(principal)?;
        if let Some(poll) = Poll::of(operation, &self.head)
            && !self.limited(|| is_read, pin!(async { Ok(poll.is_over(api.care()).await?) })).await?
        {
            // The new place is taken before the old one is freed by the assignment.
            place = api.poll_place(&place)?;
            catch(Box::pin(poll.wait(api.care(), &place)).as_mut()).await.ok_or(Problem::Internal)?;
        }
        let weight = Weight::of(operation, self.head.uri.query(), body.len(), api.contract().limits());
        // Until its turn, a change has done nothing.
        let has_begun = AtomicBool::new(false);
        let step = async {
            *room = api.room(weight, &place).await?;
            let turn = api.turn(weight, &place).await?;
            if !is_read {
                api.admit_change(&place)?;
            }
            has_begun.store(true, Ordering::Relaxed);
            let answer = self.run((operation, principal), negotiation, body, (turn, &place)).await?;
            if is_read {
                self.more_room(room.as_ref(), &answer).await?;
            }
            Ok(answer)
        };
        self.limited(|| is_read || !has_begun.load(Ordering::Relaxed), pin!(step)).await
    }

    /// Waits for the rest of the room of an answer that is longer than could be known.
    pub(super) async fn more_room(&self, room: Option<&Place>, answer: &Answer) -> Result<(), Problem> {
        match room {
            Some(room) if self.head.method != Method::HEAD => self.api.more_room(room, answer.length()).await,
            _ => Ok(()),
        }
    }

    /// Awaits a step within the deadline, and makes a panic in it an answer. `has_no_effect` says so of a step that is
    /// late.
    pub(super) async fn limited<T>(
        &self,
        has_no_effect: impl FnOnce() -> bool,
        step: Pin<&mut impl Future<Output = Result<T, Problem>>>,
    ) -> Result<T, Problem> {
        let (deadlines, deadline) = (self.api.deadlines(), self.api.contract().limits().deadline);
        match deadlines.within(deadline, pin!(catch(step))).await {
            Some(done) => done.unwrap_or(Err(Problem::Internal)),
            None => Err(Problem::Late { is_read: has_no_effect() }),
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
        (operation, principal): (Operation, &Principal),
        negotiation: Negotiation,
        body: &[u8],
        (turn, place): (Option<Place>, &Place),
    ) -> Result<Answer, Problem> {
        let api = &self.api;
        // The answer may depend on further scopes, which the key may have lost meanwhile.
        let renewed = self.unless_revoked().await?;
        let principal = renewed.as_ref().unwrap_or(principal);
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
        let running = pin!(run::run(&request));
        let answer = match &turn {
            Some(turn) => turn.in_turns(running).await?,
            None => running.await?,
        };
        if api.contract().audits_reads() && reads::are_audited(operation) {
            // The work is done, so others need not wait for its end as long as for the note.
            if let Some(turn) = &turn {
                turn.shrink(0);
            }
            let _turn = api.turn(Weight::OF_A_NOTE, place).await?;
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
