//! A request between its head and its answer.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use bytes::Bytes;
use http::{Method, Response};

use super::{
    Received,
    check::{self, Length},
    exchange::{Accepted, Exchange},
};
use crate::rest::{
    contract::{answer::Answer, operation::Operation, problem::Problem},
    operations::{idempotency, lists, reads, request::Request, run},
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

    /// How many bytes of the body are worth reading; a longer one is [`Received::TooLarge`].
    pub fn body_limit(&self) -> usize {
        self.0.exchange.api().contract().limits().body
    }

    /// Runs the operation. Infallible; the future is `Send` and holds no lock across an await.
    pub fn finish(self, received: Received) -> impl Future<Output = Response<Bytes>> + Send + use<> {
        let started = self.0;
        let deadline = started.deadline();
        // An `async fn` would keep its arguments twice, and what is pinned here is not handed on.
        async move {
            let outcome = {
                let run = pin!(started.run(&received));
                started.exchange.api().deadlines().within(deadline, pin!(catch(run))).await
            };
            let outcome = outcome.map_or_else(
                || Err(Problem::Late { is_read: started.accepted.operation.method() == Method::GET }),
                |run| run.unwrap_or(Err(Problem::Internal)),
            );
            started.exchange.answer(outcome, started.accepted.operation.id(), &started.accepted.principal.name)
        }
    }
}

impl Started {
    fn deadline(&self) -> Duration {
        let deadline = self.exchange.api().contract().limits().deadline;
        match self.accepted.operation {
            Operation::ListJournal => deadline.saturating_add(lists::MAX_WAIT),
            _ => deadline,
        }
    }

    async fn run(&self, received: &Received) -> Result<Answer, Problem> {
        let Self { exchange, accepted: Accepted { operation, parameter, principal, screened } } = self;
        let (api, head) = (exchange.api(), exchange.head());
        let length = match received {
            Received::Whole(body) => Length::Known(body.len()),
            Received::TooLarge => Length::Known(usize::MAX),
            Received::TimedOut | Received::Broken => Length::Unknown,
        };
        let screened = match *screened {
            Some(screened) => screened,
            None => check::screen(*operation, head, length, api.contract().limits().body)?,
        };
        let body = match received {
            Received::Whole(body) => body,
            Received::TooLarge => return Err(Problem::TooLarge),
            Received::TimedOut => return Err(Problem::TimedOut),
            Received::Broken => return Err(Problem::BrokenBody),
        };
        // Reads are in nobody's name, and a handle of one's own would cost each of them a share in all of its parts.
        let acting = (operation.method() != Method::GET).then(|| api.care().acting_as(Arc::clone(&principal.name)));
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
        let once = once.map(|once| request.care.once(once));
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
fn catch<T>(mut future: Pin<&mut impl Future<Output = T>>) -> impl Future<Output = Option<T>> {
    std::future::poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Some),
        Err(_) => Poll::Ready(None),
    })
}
