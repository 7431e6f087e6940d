//! Detecting idle connections, and clients that do not read their answers.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep};

/// A detector of idle connections.
///
/// Poem's own timeout wakes a task of each connection for every read and write. This detector wakes only once in each
/// period, so it notices an idle connection after one to two periods.
#[derive(Debug)]
pub(crate) struct Idle {
    a_while: Duration,
    /// Whether bytes have moved since the last check.
    moved: bool,
    look: Pin<Box<Sleep>>,
}

/// A detector of clients that do not read their answers.
#[derive(Debug)]
pub(crate) struct Stall {
    a_while: Duration,
    /// The timer since a write last had to wait; `None` while nothing waits.
    over: Option<Pin<Box<Sleep>>>,
}

impl Stall {
    /// Returns a detector of writes that make no progress for `a_while`.
    pub(crate) const fn new(a_while: Duration) -> Self {
        Self { a_while, over: None }
    }

    /// Notes the result of a write. Returns ready once writes have had to wait for too long; until then, a timer wakes
    /// the task.
    pub(crate) fn poll<T>(&mut self, written: &Poll<T>, context: &mut Context<'_>) -> Poll<()> {
        if written.is_ready() {
            self.over = None;
            return Poll::Pending;
        }
        self.over.get_or_insert_with(|| Box::pin(sleep(self.a_while))).as_mut().poll(context)
    }
}

impl Idle {
    pub(crate) fn new(a_while: Duration) -> Self {
        Self { a_while, moved: false, look: Box::pin(sleep(a_while)) }
    }

    /// Notes the result of a read or write: if it is ready, bytes have moved.
    pub(crate) fn note<T>(&mut self, done: &Poll<T>) {
        self.moved |= done.is_ready();
    }

    /// Returns ready once the connection has been idle for too long. Until then, a timer wakes the task for the next
    /// check.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.look.as_mut().poll(context).is_ready() {
            if !std::mem::take(&mut self.moved) {
                return Poll::Ready(());
            }
            self.look.as_mut().reset(Instant::now() + self.a_while);
        }
        Poll::Pending
    }
}
