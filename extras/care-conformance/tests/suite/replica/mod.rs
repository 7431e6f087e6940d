//! The suite against a second store, first a sound one, then with one defect after another. This shows that the suite
//! finds defects.

mod faults;
mod store;

use std::{cell::Cell, future::Future};

use care_conformance::store::StoreFixture;

use faults::Defect;
use store::ReplicaStore;

/// Opens a replica store with a defect. It outlives its reopening, reads pass its decisions, and its futures must be
/// polled within the fixture's `block_on`.
struct Replica(Defect);

thread_local! {
    static WAITING: Cell<bool> = const { Cell::new(false) };
}

impl StoreFixture for Replica {
    type Store = ReplicaStore;

    fn open(&self) -> ReplicaStore {
        ReplicaStore::new(self.0)
    }

    fn keys<'a>(&self, store: &'a Self::Store) -> Option<&'a dyn care_core::store::ApiKeys> {
        Some(store)
    }

    fn reopen(&self, store: ReplicaStore) -> Option<ReplicaStore> {
        Some(match self.0 {
            Defect::ForgetsWhenReopened => ReplicaStore::new(self.0),
            Defect::ForgetsKeysWhenReopened => store.without_keys(),
            _ => store,
        })
    }

    fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        WAITING.set(true);
        let answer = futures_executor::block_on(future);
        WAITING.set(false);
        answer
    }

    fn reads_pass_decisions(&self) -> bool {
        true
    }
}

/// Panics unless the fixture is waiting, as a store would that needs a runtime around it.
fn insist_on_the_fixture() {
    assert!(WAITING.get(), "polled outside of the fixture's block_on");
}

care_conformance::store_suite!(Replica(Defect::None));
