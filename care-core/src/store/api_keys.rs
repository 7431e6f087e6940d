//! Keeping the keys that were issued to clients.

use std::panic::{AssertUnwindSafe, catch_unwind};

use async_trait::async_trait;

use crate::{
    error::{StoreError, StoreErrorKind},
    model::ApiKey,
};

/// What is to become of the keys, told from all that there are: those it answers are kept as they are answered, the
/// others stay. Pure: a store may run it any number of times, and only the last run counts.
pub type KeyDecision = Box<dyn FnMut(&[ApiKey]) -> Vec<ApiKey> + Send>;

/// The keys that were issued to clients. They are the operator's data and no patient's: no journal entry speaks of
/// them, and an export has none.
///
/// # Contract
/// - A key is kept by its id, for ever: one that has ended tells what it was.
/// - [`decide_keys`](Self::decide_keys) runs the decision on all keys, in one transaction that no other such decision
///   interleaves with. What it answers becomes durable together, or not at all. One that panics, or answers nothing,
///   writes nothing.
/// - [`api_keys`](Self::api_keys) sees at once what this store has answered, and within half a second what another
///   process has written. It is asked a few times a second by threads that serve requests, so it answers soon and waits
///   for no writer.
#[async_trait]
pub trait ApiKeys: Send + Sync {
    /// Returns every key that was ever issued, in the order of their ids.
    ///
    /// # Errors
    /// The store's failure.
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError>;

    /// Runs a decision and keeps the keys that it answers.
    ///
    /// # Errors
    /// The store's failure; [`StoreErrorKind`](crate::error::StoreErrorKind) says what that means for the data.
    async fn decide_keys(&self, decision: KeyDecision) -> Result<(), StoreError>;
}

/// Runs a decision about keys, for stores: a panic in it is the store's failure and goes no further.
///
/// # Errors
/// [`StoreErrorKind::Broken`] when it panics.
pub fn drive_keys(decision: &mut KeyDecision, keys: &[ApiKey]) -> Result<Vec<ApiKey>, StoreError> {
    catch_unwind(AssertUnwindSafe(|| decision(keys))).map_err(|_| StoreErrorKind::Broken.into())
}
