//! The store that a server serves.

use async_trait::async_trait;
use care_core::{
    error::StoreError,
    store::{ApiKeys, Journal, MemoryStore, Records},
};
use care_store_sqlite::SqliteStore;

/// A store that a server serves, with what a load balancer in front of several servers needs to know.
#[async_trait]
pub(crate) trait ServedStore: Records + Journal + ApiKeys {
    /// Returns whether writes are best sent to this server, provided that [`ready`](Journal::ready) says that it
    /// accepts them.
    ///
    /// # Errors
    /// The store's failure.
    async fn is_writer(&self) -> Result<bool, StoreError>;
}

#[async_trait]
impl ServedStore for SqliteStore {
    /// Returns `true`: servers that share a file are on one machine, so they serve writes equally well.
    async fn is_writer(&self) -> Result<bool, StoreError> {
        Ok(true)
    }
}

#[async_trait]
impl ServedStore for MemoryStore {
    /// Returns `true`: there is no other server.
    async fn is_writer(&self) -> Result<bool, StoreError> {
        Ok(true)
    }
}

#[cfg(feature = "postgres")]
#[async_trait]
impl ServedStore for care_store_postgres::PostgresStore {
    async fn is_writer(&self) -> Result<bool, StoreError> {
        Self::is_writer(self).await
    }
}
