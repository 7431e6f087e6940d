//! The memory store passes the store suite.

use care_conformance::store::StoreFixture;
use care_core::store::MemoryStore;

struct Memory;

impl StoreFixture for Memory {
    type Store = MemoryStore;

    fn open(&self) -> MemoryStore {
        MemoryStore::new()
    }

    fn keys<'a>(&self, store: &'a Self::Store) -> Option<&'a dyn care_core::store::ApiKeys> {
        Some(store)
    }

    fn reopen(&self, _: MemoryStore) -> Option<MemoryStore> {
        None
    }

    // One lock guards the whole store.
    fn reads_pass_decisions(&self) -> bool {
        false
    }
}

care_conformance::store_suite!(Memory);
