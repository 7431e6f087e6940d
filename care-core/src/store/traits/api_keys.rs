//! Storing the keys of clients.

use std::panic::{AssertUnwindSafe, catch_unwind};

use async_trait::async_trait;

use crate::{
    error::{Error, StoreError, StoreErrorKind},
    model::ApiKey,
    store::{Act, Decision, Seq},
};

/// A change of the stored keys, computed from all of them. It is pure: a store may run it any number of times, and only
/// the last run counts.
pub type KeyDecision = Box<dyn FnMut(&[ApiKey]) -> KeyPlan + Send>;

/// The result of a decision about keys.
#[derive(Default)]
#[expect(missing_debug_implementations, reason = "a decision has none")]
pub struct KeyPlan {
    /// The keys to store. The others stay as they are.
    pub keys: Vec<ApiKey>,
    /// The act and the decision of the journal entry that says so; `None` when the journal does not say it.
    pub entry: Option<(Act, Decision)>,
}

/// A store of the keys of clients, each with the digest of its secret. The journal says what was issued, rotated and
/// revoked, and knows no digest: so a key is neither in the journal nor in an export.
///
/// # Contract
/// - A key is stored under its id for ever: an ended key still shows its name and scopes.
/// - [`decide_keys`](Self::decide_keys) runs the decision on all keys, in one transaction that no other such decision
///   interleaves with. The returned keys and the entry become durable together, or not at all. A decision that panics
///   writes nothing.
/// - A [replay](crate::store::Journal::replay) brings no keys, and changes none.
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

    /// Runs a decision, stores the keys that it returns, and appends its entry to the journal as
    /// [`Journal::transact`](crate::store::Journal::transact) does.
    ///
    /// # Errors
    /// The store's failure; its [`StoreErrorKind`](crate::error::StoreErrorKind) says what has become of the data.
    async fn decide_keys(&self, decision: KeyDecision) -> Result<(), StoreError>;

    /// Returns the number of the last entry that was replayed, [`Seq::ZERO`] when there is none. Entries up to it may
    /// speak of keys that this store has never had.
    ///
    /// The default is for stores into which nothing is replayed.
    ///
    /// # Errors
    /// The store's failure.
    async fn replayed(&self) -> Result<Seq, StoreError> {
        Ok(Seq::ZERO)
    }
}

/// Runs a decision about keys, for stores. A panic in it becomes an error.
///
/// # Errors
/// [`StoreErrorKind::Broken`] when it panics.
pub fn drive_keys(decision: &mut KeyDecision, keys: &[ApiKey]) -> Result<KeyPlan, StoreError> {
    catch_unwind(AssertUnwindSafe(|| decision(keys))).map_err(|_| StoreErrorKind::Broken.into())
}

impl StoreError {
    /// Returns the failure of the decision of an entry about keys, which refuses nothing itself.
    pub fn of_key_entry(error: Error) -> Self {
        match error {
            Error::Store(error) => error,
            refused => Self::new(StoreErrorKind::Broken, refused),
        }
    }
}
