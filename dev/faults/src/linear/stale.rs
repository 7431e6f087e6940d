//! A store that reads from a stale copy.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError},
    store::{ApiKeys, CareStore, Journal, Limit, MemoryStore, Portion, Query, Question, Record, Records, Versioned},
};
use care_testkit::Hooks;

/// The copy catches up before every read whose number is a multiple of this.
const EVERY: u64 = 3;

/// A store that writes correctly and reads from a copy, as from an asynchronous standby: the copy follows the journal,
/// but does not catch up before each read.
#[derive(Debug)]
pub(super) struct Stale<S> {
    pub(super) store: S,
    pub(super) copy: MemoryStore,
    pub(super) reads: AtomicU64,
}

impl<S: Journal> Stale<S> {
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
impl<S: CareStore + ApiKeys> Hooks for Stale<S> {
    type Store = S;

    fn store(&self) -> &S {
        &self.store
    }

    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        self.follow().await?;
        self.copy.read(question).await
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.follow().await?;
        self.copy.list(query, limit).await
    }
}
