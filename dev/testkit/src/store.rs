//! A store in front of another one: tests watch what passes, hold it back, or forge it.

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError},
    model::ApiKey,
    store::{
        Act, ApiKeys, CommitNotifier, Decision, Entry, Epoch, Journal, KeyDecision, Limit, Maintenance, Portion, Query,
        Question, Record, RecordKey, Records, ReplayError, Seq, Versioned,
    },
};

/// A store that does what its [`Hooks`] say. Its head and its instants follow from its journal.
#[derive(Debug, Clone, Default)]
pub struct Wrap<H>(pub H);

/// The methods of a [`Wrap`]. Each passes the call on to the store behind it, unless it is written anew.
#[async_trait]
#[expect(missing_docs, reason = "each method is that of a store's trait with the same name")]
pub trait Hooks: Send + Sync {
    /// The store behind it.
    type Store: Records + Journal + ApiKeys;

    /// Returns the store behind it.
    fn store(&self) -> &Self::Store;

    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        self.store().read(question).await
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.store().list(query, limit).await
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        self.store().transact(act, decision).await
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        self.store().replay(entries).await
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.store().journal(after, limit).await
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        self.store().last().await
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        self.store().add_notifier(notifier);
    }

    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        self.store().api_keys().await
    }

    async fn decide_keys(&self, decision: KeyDecision) -> Result<(), StoreError> {
        self.store().decide_keys(decision).await
    }
}

#[async_trait]
impl<H: Hooks> Records for Wrap<H> {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        self.0.read(question).await
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.0.list(query, limit).await
    }
}

#[async_trait]
impl<H: Hooks> Journal for Wrap<H> {
    fn epoch(&self) -> Epoch {
        self.0.store().epoch()
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        self.0.transact(act, decision).await
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        self.0.replay(entries).await
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.0.journal(after, limit).await
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        self.0.last().await
    }

    async fn skip_pointer(&self, record: &RecordKey, at: Seq) -> Result<Option<Seq>, StoreError> {
        self.0.store().skip_pointer(record, at).await
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        self.0.add_notifier(notifier);
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        self.0.store().maintenance()
    }
}

#[async_trait]
impl<H: Hooks> ApiKeys for Wrap<H> {
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        self.0.api_keys().await
    }

    async fn decide_keys(&self, decision: KeyDecision) -> Result<(), StoreError> {
        self.0.decide_keys(decision).await
    }

    async fn replayed(&self) -> Result<Seq, StoreError> {
        self.0.store().replayed().await
    }
}
