//! A store with its fixture, whatever their types.

use std::{future::Future, pin::Pin, sync::Arc};

use care_core::store::{ApiKeys, CareStore};

use super::StoreFixture;

/// A store and its [`StoreFixture`], as the cases use them.
pub(super) trait Opened: Send + Sync {
    fn store(&self) -> &dyn CareStore;

    fn shared(&self) -> Arc<dyn CareStore>;

    fn keys(&self) -> Option<&dyn ApiKeys>;

    fn reopen(self: Box<Self>) -> Option<Box<dyn Opened>>;

    fn run(&self, future: Pin<Box<dyn Future<Output = ()> + Send + '_>>);

    fn reads_pass_decisions(&self) -> bool;

    fn keeps(&self, text: &str) -> Option<bool>;
}

/// A store, and its fixture, which must outlive it.
pub(super) struct OpenStore<F: StoreFixture> {
    pub(super) store: Arc<F::Store>,
    pub(super) fixture: F,
}

impl<F: StoreFixture> Opened for OpenStore<F> {
    fn store(&self) -> &dyn CareStore {
        &*self.store
    }

    fn shared(&self) -> Arc<dyn CareStore> {
        Arc::clone(&self.store) as _
    }

    fn keys(&self) -> Option<&dyn ApiKeys> {
        self.fixture.keys(&self.store)
    }

    fn reopen(self: Box<Self>) -> Option<Box<dyn Opened>> {
        let Self { store, fixture } = *self;
        let store = Arc::into_inner(store).expect("every service on the store is dropped");
        let store = Arc::new(fixture.reopen(store)?);
        Some(Box::new(Self { store, fixture }))
    }

    fn run(&self, future: Pin<Box<dyn Future<Output = ()> + Send + '_>>) {
        self.fixture.block_on(future);
    }

    fn reads_pass_decisions(&self) -> bool {
        self.fixture.reads_pass_decisions()
    }

    fn keeps(&self, text: &str) -> Option<bool> {
        self.fixture.keeps(text)
    }
}
