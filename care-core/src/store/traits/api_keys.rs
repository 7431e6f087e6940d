//! Storing the keys of clients.

use std::panic::{AssertUnwindSafe, catch_unwind};

use async_trait::async_trait;

use crate::{
    error::{StoreError, StoreErrorKind},
    model::ApiKey,
};

/// A change of the stored keys, computed from all of them: the returned keys are stored, the others stay. It is pure: a
/// store may run it any number of times, and only the last run counts.
pub type KeyDecision = Box<dyn FnMut(&[ApiKey]) -> Vec<ApiKey> + Send>;

/// A store of the keys of clients. Keys are the operator's data and no patient's: they are neither in the journal nor
/// in an export.
///
/// # Contract
/// - A key is stored under its id for ever: an ended key still shows its name and scopes.
/// - [`decide_keys`](Self::decide_keys) runs the decision on all keys, in one transaction that no other such decision
///   interleaves with. The returned keys become durable together, or not at all. A decision that panics, or returns no
///   keys, writes nothing.
/// - [`api_keys`](Self::api_keys) sees acknowledged writes of this store at once, and those of another process within
///   half a second. Threads that serve requests call it a few times a second, so it must answer soon and wait for no
///   writer.
#[async_trait]
pub trait ApiKeys: Send + Sync {
    /// Returns every key that was ever issued, in the order of their ids.
    ///
    /// # Errors
    /// The store's failure.
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError>;

    /// Runs a decision and stores the keys that it returns.
    ///
    /// # Errors
    /// The store's failure; its [`StoreErrorKind`](crate::error::StoreErrorKind) says what has become of the data.
    async fn decide_keys(&self, decision: KeyDecision) -> Result<(), StoreError>;
}

/// Runs a decision about keys, for stores. A panic in it becomes an error.
///
/// # Errors
/// [`StoreErrorKind::Broken`] when it panics.
pub fn drive_keys(decision: &mut KeyDecision, keys: &[ApiKey]) -> Result<Vec<ApiKey>, StoreError> {
    catch_unwind(AssertUnwindSafe(|| decision(keys))).map_err(|_| StoreErrorKind::Broken.into())
}
