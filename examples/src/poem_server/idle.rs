//! Noticing that nothing happens on a connection.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep};

/// Notices when nothing has come or gone over a connection for a while.
///
/// Poem's own timeout wakes a task of each connection for every read and write. This looks again once a while only, so
/// what is idle is noticed after one to two of them.
#[derive(Debug)]
pub(crate) struct Idle {
    a_while: Duration,
    /// Whether anything has come or gone since it was looked at last.
    moved: bool,
    look: Pin<Box<Sleep>>,
}

impl Idle {
    pub(crate) fn new(a_while: Duration) -> Self {
        Self { a_while, moved: false, look: Box::pin(sleep(a_while)) }
    }

    /// What was read or written says whether anything came or went.
    pub(crate) fn note<T>(&mut self, done: &Poll<T>) {
        self.moved |= done.is_ready();
    }

    /// Ready once it has been idle for too long. Until then somebody is woken to look again.
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
