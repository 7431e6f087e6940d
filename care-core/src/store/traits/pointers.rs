//! Pointers to stores are stores: a program shares one store among the service, its keys and its tools.

// A method that is left out would silently fall back to its default, which may read a whole entry for a single number.
#![warn(clippy::missing_trait_methods)]

use std::sync::Arc;

use async_trait::async_trait;

use crate::{
    error::{Error, StoreError},
    model::{ApiKey, Timestamp},
    store::{
        Act, ApiKeys, CommitNotifier, Decision, Entry, Epoch, Head, Journal, KeyDecision, Limit, Maintenance, Portion,
        Query, Question, Record, RecordKey, Records, ReplayError, Seq, Versioned,
    },
};

macro_rules! stores_behind {
    ($($pointer:ident)*) => {$(
        #[async_trait]
        impl<T: Records + ?Sized> Records for $pointer<T> {
            async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
                T::read(self, question).await
            }

            async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
                T::list(self, query, limit).await
            }
        }

        #[async_trait]
        impl<T: Journal + ?Sized> Journal for $pointer<T> {
            fn epoch(&self) -> Epoch {
                T::epoch(self)
            }

            async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
                T::transact(self, act, decision).await
            }

            async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
                T::replay(self, entries).await
            }

            async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
                T::journal(self, after, limit).await
            }

            async fn skip_pointer(&self, record: &RecordKey, at: Seq) -> Result<Option<Seq>, StoreError> {
                T::skip_pointer(self, record, at).await
            }

            async fn instants(&self, entries: &[Seq]) -> Result<Vec<Timestamp>, StoreError> {
                T::instants(self, entries).await
            }

            async fn head(&self) -> Result<Head, StoreError> {
                T::head(self).await
            }

            async fn last(&self) -> Result<Seq, StoreError> {
                T::last(self).await
            }

            async fn ready(&self) -> Result<(), StoreError> {
                T::ready(self).await
            }

            fn add_notifier(&self, notifier: CommitNotifier) {
                T::add_notifier(self, notifier);
            }

            fn maintenance(&self) -> Option<&dyn Maintenance> {
                T::maintenance(self)
            }
        }

        #[async_trait]
        impl<T: ApiKeys + ?Sized> ApiKeys for $pointer<T> {
            async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
                T::api_keys(self).await
            }

            async fn decide_keys(&self, decision: KeyDecision) -> Result<(), StoreError> {
                T::decide_keys(self, decision).await
            }

            async fn replayed(&self) -> Result<Seq, StoreError> {
                T::replayed(self).await
            }
        }
    )*};
}

stores_behind! { Arc Box }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{CareStore, MemoryStore};

    #[test]
    fn a_store_behind_pointers_is_a_store() {
        let shared: Arc<dyn CareStore> = Arc::new(Box::new(MemoryStore::new()));
        assert_eq!(futures_executor::block_on(shared.last()).unwrap(), Seq::ZERO);
        let keys: Box<dyn ApiKeys> = Box::new(Arc::new(MemoryStore::new()));
        assert!(futures_executor::block_on(keys.api_keys()).unwrap().is_empty());
    }
}
