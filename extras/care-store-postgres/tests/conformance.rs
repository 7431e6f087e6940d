//! The PostgreSQL store passes every store's conformance suite, on the oldest and the newest installed version, and
//! through PgBouncer in transaction mode.

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
    scratch::run(|is_newest| {
        let direct = cases().into_iter();
        let direct = direct.map(|case| scratch::test(case.name(), move |server| case.run(Schema(server.schema()))));
        let pooled = cases().into_iter().filter(|_| is_newest).map(|case| {
            let name = format!("pooled_{}", case.name());
            scratch::pooled(name, move |server| case.run(Schema(server.pooled_schema())))
        });
        direct.chain(pooled).collect()
    })
}
