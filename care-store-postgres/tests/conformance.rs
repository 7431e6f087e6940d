//! The PostgreSQL store keeps the contract of every store, on the oldest and the newest version that are installed.

mod scratch;

use std::process::ExitCode;

use care_conformance::store::{StoreFixture, cases};
use care_core::store::ApiKeys;
use care_store_postgres::PostgresStore;

/// An empty schema.
struct Schema(String);

impl StoreFixture for Schema {
    type Store = PostgresStore;

    fn open(&self) -> PostgresStore {
        PostgresStore::open(&self.0).expect("a schema that is empty or was filled by this store")
    }

    fn keys<'a>(&self, store: &'a PostgresStore) -> Option<&'a dyn ApiKeys> {
        Some(store)
    }

    fn reopen(&self, store: PostgresStore) -> Option<PostgresStore> {
        drop(store);
        Some(self.open())
    }
}

fn main() -> ExitCode {
    scratch::run(|_| {
        let cases = cases::<Schema>().into_iter();
        cases.map(|case| scratch::test(case.name(), move |server| case.run(Schema(server.schema())))).collect()
    })
}
