//! What the suite must be told about a store.

use std::future::Future;

use care_core::store::{ApiKeys, CareStore};

/// How the store under test is opened. Each case makes a fixture of its own, so a fixture can hold what the store
/// needs around it: a temporary directory, a container, a runtime. It is dropped after the store.
pub trait StoreFixture: Send + Sync + 'static {
    /// The store under test.
    type Store: CareStore + 'static;

    /// Opens an empty store. Called once for each fixture.
    fn open(&self) -> Self::Store;

    /// Closes the store and opens what it left behind; `None` when the store keeps nothing beyond its life. The
    /// cases about reopening then pass without a word.
    fn reopen(&self, store: Self::Store) -> Option<Self::Store>;

    /// The store as one of keys; `None` when it keeps none, and the cases about keys then pass without a word.
    fn keys<'a>(&self, store: &'a Self::Store) -> Option<&'a dyn ApiKeys>;

    /// Waits for a future of the store. Many threads do so at the same time.
    ///
    /// Override it when the store's futures need a runtime around them.
    fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        futures_executor::block_on(future)
    }

    /// Whether a read is answered while a decision is still running, as the contract of
    /// [`Records`](care_core::store::Records) asks for. The case that pins it is left out where this is `false`.
    fn reads_pass_decisions(&self) -> bool {
        true
    }
}
