//! Long work in pieces, between which other tasks of the thread run.

use std::{future::poll_fn, task::Poll};

/// The work for a report, counted in medicines.
///
/// A runtime takes a thread away from a task only where the task waits. Work that never waits would hold the thread,
/// and whatever watches over it, such as a deadline, until its end.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    done: usize,
}

impl Pieces {
    /// The number of medicines in a piece. Each takes up to 0.1 ms.
    pub(crate) const MEDICINES: usize = 8;

    /// Counts a medicine, and lets others pass at the end of a piece.
    pub(crate) async fn count(&mut self) {
        self.done += 1;
        if self.done.is_multiple_of(Self::MEDICINES) {
            pass().await;
        }
    }
}

/// Lets the other tasks of the thread run before this one continues.
pub(crate) async fn pass() {
    let mut has_passed = false;
    poll_fn(|context| match has_passed {
        true => Poll::Ready(()),
        false => {
            has_passed = true;
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

/// [`pass`] before every part of a list but the first one, which begins at item 0.
pub(crate) async fn pass_before(item: usize) {
    if item > 0 {
        pass().await;
    }
}
