//! Hearing of commits as they happen.

use std::{
    future::poll_fn,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Poll, Waker},
};

use super::CareService;
use crate::{
    error::Error,
    store::{Entry, Seq},
};

/// Where commits are announced. It keeps the latest number only, so that a slow listener costs nothing and blocks
/// nobody; what it missed is in the journal.
#[derive(Debug, Default)]
pub(super) struct Feed {
    latest: AtomicU64,
    closed: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

/// Follows the journal from a point on.
///
/// ```
/// use care_core::{model::PatientDetails, service::CareService, store::{MemoryStore, Seq}};
///
/// # futures_executor::block_on(async {
/// let care = CareService::new(MemoryStore::new());
/// let mut news = care.subscribe(Seq::ZERO);
/// care.register_patient(PatientDetails::default()).await?;
/// assert_eq!(news.next(100).await?[0].operation, "addPatient");
/// # Ok::<(), care_core::error::Error>(())
/// # })?;
/// # Ok::<(), care_core::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Subscription {
    care: CareService,
    after: Seq,
}

impl Feed {
    /// Tells the listeners of a commit.
    pub(super) fn announce(&self, seq: Seq) {
        self.latest.fetch_max(seq.value(), Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Waits for a commit after this one, or for the feed to close.
    async fn changed(&self, after: Seq) {
        poll_fn(|context| {
            {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                    waiting.push(context.waker().clone());
                }
            }
            // Looked at after entering the list: a commit in between is seen here or wakes.
            let is_news = self.latest.load(Ordering::Acquire) > after.value();
            if is_news || self.closed.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

impl CareService {
    /// Follows the journal after this entry.
    ///
    /// It hears at once of every use case that ran through this service or a clone of it to its end. What another
    /// process commits to the same store is delivered together with the next of these.
    pub fn subscribe(&self, after: Seq) -> Subscription {
        Subscription { care: self.clone(), after }
    }

    /// Lets everybody who waits for news go, now and from now on: for a host that shuts down.
    pub fn stop_waiting(&self) {
        self.feed.closed.store(true, Ordering::Release);
        self.feed.wake();
    }

    /// Waits for a commit after this one, or for [`stop_waiting`](Self::stop_waiting).
    #[cfg(feature = "rest")]
    pub(crate) async fn changed(&self, after: Seq) {
        self.feed.changed(after).await;
    }

    /// Whether waiting is over.
    #[cfg(feature = "rest")]
    pub(crate) fn is_closing(&self) -> bool {
        self.feed.closed.load(Ordering::Acquire)
    }
}

impl Subscription {
    /// The next entries, at most `limit`, waiting until there is one. Empty only after
    /// [`CareService::stop_waiting`], when there is nothing more.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn next(&mut self, limit: usize) -> Result<Vec<Entry>, Error> {
        loop {
            let closing = self.care.feed.closed.load(Ordering::Acquire);
            let entries = self.care.store.journal(self.after, limit.max(1)).await?;
            if let Some(last) = entries.last() {
                self.after = last.seq;
                return Ok(entries);
            }
            if closing {
                return Ok(entries);
            }
            self.care.feed.changed(self.after).await;
        }
    }
}
