//! A store that reads from a stale copy.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError},
    store::{
        Act, CommitNotifier, Decision, Entry, Epoch, Journal, Limit, MemoryStore, Portion, Query, Question, Record,
        Records, ReplayError, Seq, Versioned,
    },
};

/// The copy catches up before every read whose number is a multiple of this.
const EVERY: u64 = 3;

/// A store that writes correctly and reads from a copy, as from an asynchronous standby: the copy follows the journal,
/// but does not catch up before each read.
#[derive(Debug)]
pub struct StaleStore<S> {
    store: S,
    copy: MemoryStore,
    reads: AtomicU64,
}

impl<S: Journal> StaleStore<S> {
    /// Creates an empty copy.
    pub fn new(store: S) -> Self {
        Self { store, copy: MemoryStore::new(), reads: AtomicU64::new(0) }
    }

    async fn follow(&self) -> Result<(), StoreError> {
        if !self.reads.fetch_add(1, Ordering::Relaxed).is_multiple_of(EVERY) {
            return Ok(());
        }
        loop {
            let after = self.copy.last().await?;
            let news = self.store.journal(after, Limit::items(500)).await?.items;
            if news.is_empty() {
                return Ok(());
            }
            // Another read may have caught up meanwhile.
            let _ = self.copy.replay(news).await;
        }
    }
}

#[async_trait]
impl<S: Records + Journal> Records for StaleStore<S> {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        self.follow().await?;
        self.copy.read(question).await
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.follow().await?;
        self.copy.list(query, limit).await
    }
}

#[async_trait]
impl<S: Records + Journal> Journal for StaleStore<S> {
    fn epoch(&self) -> Epoch {
        self.store.epoch()
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        self.store.transact(act, decision).await
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        self.store.replay(entries).await
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.store.journal(after, limit).await
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        self.store.add_notifier(notifier);
    }
}
