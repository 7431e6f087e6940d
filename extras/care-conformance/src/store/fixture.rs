//! The description of a store that the suite needs.

use std::future::Future;

use care_core::store::{ApiKeys, CareStore};

/// A way to open the store under test. Each case makes a fixture of its own, which can hold the surroundings of a
/// store: a temporary directory, a container, a runtime. The fixture is dropped after the store.
pub trait StoreFixture: Send + Sync + 'static {
    /// The store under test.
    type Store: CareStore + 'static;

    /// Opens an empty store. The suite calls this once for each fixture.
    fn open(&self) -> Self::Store;

    /// Closes the store and opens it again with the data that it kept. Returns `None` for a store that keeps nothing;
    /// the cases about reopening then pass untested.
    fn reopen(&self, store: Self::Store) -> Option<Self::Store>;

    /// Returns the store of keys, or `None` for a store without keys; the cases about keys then pass untested.
    fn keys<'a>(&self, store: &'a Self::Store) -> Option<&'a dyn ApiKeys>;

    /// Waits for a future of the store. Many threads call this at the same time.
    ///
    /// Override it when the store's futures need a runtime around them.
    fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        futures_executor::block_on(future)
    }

    /// Returns whether a read is answered while a decision is running, as the contract of
    /// [`Records`](care_core::store::Records) requires. When it returns `false`, the case about this is left out.
    fn reads_pass_decisions(&self) -> bool {
        true
    }

    /// Returns whether this text stands in what the open store keeps, such as its files: of an erased person nothing
    /// may. Returns `None` where that cannot be looked at; the case about it then passes untested.
    fn keeps(&self, _text: &str) -> Option<bool> {
        None
    }
}
