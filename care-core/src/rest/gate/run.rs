//! Running a request whose body has arrived: its permits, its deadline and its work.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Response, header};

use super::{
    exchange::Exchange,
    head::{self, Length, Negotiation},
    permits::{self, Patience},
};
use crate::{
    keys::Principal,
    rest::{
        admission::Permit,
        contract::{answer::Answer, facade::Load, operation::Operation, problem::Problem},
        operations::{
            idempotency,
            poll::{Poll, WaitEnd},
            reads,
            request::Request,
            run,
        },
    },
};

/// The time that a poll waits before it ends the oldest one of its key, whose client is asked to wait as long.
const POLL_RETRY: Duration = Duration::from_secs(1);

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

impl BodyOutcome {
    /// The outcome where there is no body, or none that is read.
    pub(super) const NONE: Self = Self::Whole(Bytes::new());

    /// Returns the body, if it has arrived.
    fn whole(&self) -> Result<&Bytes, Problem> {
        match self {
            Self::Whole(body) => Ok(body),
            Self::TooLarge => Err(Problem::TooLarge),
            Self::TimedOut => Err(Problem::TimedOut),
            Self::Broken => Err(Problem::BrokenBody),
        }
    }
}

impl Exchange {
    /// Runs the operation, and returns its answer.
    #[expect(clippy::manual_async_fn, reason = "an `async fn` would contain its arguments twice")]
    pub(super) fn finish(mut self: Box<Self>, received: BodyOutcome) -> impl Future<Output = Response<Bytes>> + Send {
        async move {
            let permit = self.permit.take();
            let mut memory = None;
            let outcome = match permit {
                Some(permit) => self.perform(permit, &received, &mut memory).await,
                None => Err(Problem::Internal),
            };
            let is_read = if self.takes_body() {
                matches!(received, BodyOutcome::Whole(_))
            } else {
                self.length == Length::Known(0)
            };
            self.respond(outcome, memory, is_read)
        }
    }

    /// Waits as long as a poll may, and runs the operation under the permit of the poll if it waited, else under one of
    /// a request under way. Leaves the memory of a long answer.
    async fn perform(
        &self,
        mut permit: Permit,
        received: &BodyOutcome,
        memory: &mut Option<Permit>,
    ) -> Result<Answer, Problem> {
        if let Some(facade) = &self.facade {
            return self.perform_facade(&**facade, permit, memory).await;
        }
        let (operation, principal) = self.accepted()?;
        let (negotiation, body) = self.body(operation, received)?;
        let (api, is_read) = (&self.api, operation.method() == Method::GET);
        permits::note_body(&permit, body.len());
        let mut wait = None;
        if let Some(poll) = Poll::of(operation, &self.head)
            && !self.limited(|| is_read, pin!(async { Ok(poll.is_over(&api.settings.care).await?) })).await?
        {
            let waited = Box::pin(self.wait(poll, permit));
            let (permit_of_poll, end) = caught(pin!(waited)).await.ok_or(Problem::Internal)??;
            permit = permit_of_poll;
            wait = Some(end);
        }
        let load = Load::of(operation, self.head.uri.query(), body.len(), api.settings.contract.limits());
        // Until it is parsed, a change has done nothing.
        let has_begun = AtomicBool::new(false);
        let until = Instant::now().checked_add(api.settings.contract.limits().deadline);
        let step = async {
            *memory = api.reserve_memory(load, &permit).await?;
            let slot = api.await_slot(load, &permit).await?;
            if !is_read {
                api.admit_change(&permit)?;
            }
            let renewed = self.unless_revoked(wait.is_some()).await?;
            let principal = renewed.as_ref().unwrap_or(principal);
            let slots = (slot.as_ref(), &permit);
            let answer =
                self.run_operation((operation, principal), negotiation, body, slots, until, &has_begun).await?;
            if is_read {
                // It may have waited for others again and again while it was made.
                self.unless_revoked(false).await?;
                // The slot is kept until then: no further answer is made while this one has no memory.
                self.reserve_more_memory(memory.as_ref(), &answer).await?;
            }
            Ok(answer)
        };
        let answer = self.limited(|| is_read || !has_begun.load(Ordering::Relaxed), pin!(step)).await?;
        Ok(match wait {
            Some(WaitEnd::Replaced) => answer.with_header(header::RETRY_AFTER, HeaderValue::from(POLL_RETRY.as_secs())),
            Some(WaitEnd::News | WaitEnd::Timeout) | None => answer,
        })
    }

    /// Waits for what a poll waits for, in a slot of a poll. If the key has all of its slots, the poll waits for a
    /// second as a request under way, and then ends the oldest one.
    async fn wait(&self, poll: Poll, mut permit: Permit) -> Result<(Permit, WaitEnd), Problem> {
        let (api, care) = (&self.api, &self.api.settings.care);
        let mut rest = poll.longest();
        if api.has_all_polls(&permit) {
            let delay = rest.min(POLL_RETRY);
            rest -= delay;
            let end = poll.wait(care, delay, None).await;
            if end == WaitEnd::News || rest.is_zero() {
                return Ok((permit, end));
            }
        }
        // The new permit is taken before the old one is freed by the assignment.
        permit = api.acquire_poll_slot(&permit)?;
        let end = poll.wait(care, rest, Some(&permit)).await;
        Ok((permit, end))
    }

    /// Waits for the rest of the memory of an answer that is longer than could be known.
    pub(super) async fn reserve_more_memory(&self, memory: Option<&Permit>, answer: &Answer) -> Result<(), Problem> {
        match memory {
            Some(memory) if self.head.method != Method::HEAD => {
                self.api.reserve_more_memory(memory, answer.length()).await
            }
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
        let settings = &self.api.settings;
        match settings.deadlines.within(settings.contract.limits().deadline, pin!(caught(step))).await {
            Some(done) => done.unwrap_or(Err(Problem::Internal)),
            None => Err(Problem::Late { has_no_effect: has_no_effect() }),
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
            None => head::negotiate(operation, &self.head, length, self.api.settings.contract.limits().body)?,
        };
        Ok((negotiation, received.whole()?))
    }

    async fn run_operation(
        &self,
        (operation, principal): (Operation, &Principal),
        negotiation: Negotiation,
        body: &[u8],
        (slot, permit): (Option<&Permit>, &Permit),
        until: Option<Instant>,
        has_begun: &AtomicBool,
    ) -> Result<Answer, Problem> {
        let api = &self.api;
        let is_read = operation.method() == Method::GET;
        // Reads need no actor, and a handle of one's own would cost each of them a share in all of its parts.
        let acting = (!is_read).then(|| {
            let acting = api.settings.care.acting_as(Arc::clone(&principal.name)).until(until);
            if api.settings.contract.audits_reads() { acting.with_noted_reads() } else { acting }
        });
        let request = Request {
            operation,
            head: &self.head,
            parameter: &self.parameter,
            body,
            body_format: negotiation.body,
            format: negotiation.answer,
            principal,
            contract: &api.settings.contract,
            care: acting.as_ref().unwrap_or(&api.settings.care),
        };
        let running = async {
            has_begun.store(true, Ordering::Relaxed);
            let once = idempotency::read(&request)?;
            let once = once.map(|once| request.care.once(once.owned_by(&*principal.id)));
            run::run(&Request { care: once.as_ref().unwrap_or(request.care), ..request }).await
        };
        let answer = api.metered(permit, (!is_read).then(|| Patience::until(until, slot)), pin!(running)).await?;
        if api.settings.contract.audits_reads() && reads::are_audited(operation) {
            // The work is done, so others need not wait for its end as long as for the note.
            if let Some(slot) = slot {
                slot.shrink(0);
            }
            let _slot = api.await_slot(Load::NOTE, permit).await?;
            reads::note(&request, &principal.name).await?;
        }
        Ok(answer)
    }
}

/// Awaits a future, and turns a panic in it into `None`, so that only this answer is lost.
pub(super) fn caught<T>(mut future: Pin<&mut impl Future<Output = T>>) -> impl Future<Output = Option<T>> {
    std::future::poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Some),
        Err(_) => task::Poll::Ready(None),
    })
}
