//! Long work: in pieces, between which other tasks of the thread run, and with its answer kept for a short time, for
//! all who ask meanwhile.

use std::{
    cell::Cell,
    future::poll_fn,
    mem,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use futures_util::lock::Mutex;

use crate::model::Date;

thread_local! {
    /// Whether the work that this thread polls waits for nothing but the others whom it lets pass.
    static PAUSES: Cell<bool> = const { Cell::new(false) };
}

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

/// Lets the other tasks of the thread run before this one continues, and where the work holds a place, the other keys
/// that wait for one.
pub(crate) async fn pass() {
    let mut has_passed = false;
    poll_fn(|context| match mem::replace(&mut has_passed, true) {
        true => Poll::Ready(()),
        false => {
            PAUSES.set(true);
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

/// Awaits the work of another, who may need the place that this work holds.
pub(crate) async fn pass_until<T>(other: impl Future<Output = T>) -> T {
    let mut other = pin!(other);
    poll_fn(|context| {
        let polled = other.as_mut().poll(context);
        PAUSES.set(polled.is_pending());
        polled
    })
    .await
}

/// Returns whether the work that this thread has polled lets others pass, and forgets it. Such work waits for no store,
/// whose connection it would hold meanwhile.
#[cfg(feature = "rest")]
pub(crate) fn take_pause() -> bool {
    PAUSES.take()
}

/// [`pass`] before every part of a list but the first one, which begins at item 0.
pub(crate) async fn pass_before(item: usize) {
    if item > 0 {
        pass().await;
    }
}

/// An answer as it was found last. The request that finds it holds the lock, and others wait for it.
#[derive(Debug)]
pub(crate) struct AnswerCache<T>(Mutex<Option<CachedAnswer<T>>>);

#[derive(Debug)]
struct CachedAnswer<T> {
    since: Instant,
    day: Date,
    answer: Arc<T>,
}

/// The time for which an answer is kept, from the beginning of its search.
const KEPT: Duration = Duration::from_secs(2);

impl<T> Default for AnswerCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Send + Sync> AnswerCache<T> {
    /// Returns the answer of this day, which is searched for if it is not kept.
    pub(crate) async fn or<E: Send>(
        &self,
        day: Date,
        find: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<Arc<T>, E> {
        let mut kept = pass_until(self.0.lock()).await;
        if let Some(found) = kept.as_ref().filter(|found| found.day == day && found.since.elapsed() < KEPT) {
            return Ok(Arc::clone(&found.answer));
        }
        let since = Instant::now();
        let answer = Arc::new(find.await?);
        *kept = Some(CachedAnswer { since, day, answer: Arc::clone(&answer) });
        Ok(answer)
    }
}
