//! Both frontends keep the contract over PostgreSQL, and PostgreSQL and SQLite give the same answers.
//!
//! Running the cases takes minutes for each frontend. The frontends therefore run only where PostgreSQL is required, as
//! `.ci/run` does, and on the newest version; elsewhere the cases run in process. `CARE_PARITY_REQUESTS` and
//! `CARE_PARITY_SEED` make a longer or a different run.

#[path = "../../care-conformance/tests/suite/frontends.rs"]
mod frontends;
mod scratch;

use std::{
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};

use care_conformance::http::{EPOCH, InProcess, RunningTarget, Setting, Target, World, files, parity, prove};
use care_core::rest::Api;
use care_scratch_postgres::REQUIRED;
use care_store_postgres::PostgresStore;
use care_store_sqlite::SqliteStore;
use frontends::{Poem, Rocket};
use scratch::{Server, Test, test};
use tempfile::TempDir;

/// A frontend over schemas that are emptied for each case, because creating a schema takes longer than running a case.
struct Over {
    frontend: Frontend,
    server: Server,
    stores: Arc<Stores>,
}

/// Any frontend.
type Frontend = Box<dyn Target + Send>;

/// The stores that no case is using, shared by all tests.
type Stores = Mutex<Vec<(String, Arc<PostgresStore>)>>;

impl Target for Over {
    fn start(&self, api: Api) -> RunningTarget {
        self.frontend.start(api)
    }

    fn world(&self, setting: &Setting) -> World {
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let free = stores.iter().find(|(_, store)| Arc::strong_count(store) == 1).cloned();
        let (address, store) = free.unwrap_or_else(|| {
            let address = self.server.schema();
            let store = Arc::new(PostgresStore::open(&address).expect("an empty schema"));
            stores.push((address.clone(), Arc::clone(&store)));
            (address, store)
        });
        drop(stores);
        let script = format!("{EMPTY}; UPDATE care SET epoch = {}", EPOCH.value());
        self.server.execute(&address, &script).expect("an empty schema, with the epoch of all worlds");
        World::on(store, setting)
    }
}

/// Deletes every record from the first schema of the search path.
const EMPTY: &str = "DO $$ DECLARE name text; BEGIN \
     FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'care' LOOP \
     EXECUTE format('DELETE FROM %I', name); END LOOP; END $$";

/// The service over SQLite files.
struct OverFiles(TempDir);

impl Target for OverFiles {
    fn start(&self, api: Api) -> RunningTarget {
        InProcess.start(api)
    }

    fn world(&self, setting: &Setting) -> World {
        let path = self.0.path().join("care.db");
        drop(SqliteStore::open(&path).expect("a new file"));
        rusqlite::Connection::open(&path)
            .and_then(|file| file.execute("UPDATE epoch SET epoch = ?", [EPOCH.value()]))
            .expect("the epoch of all worlds");
        World::on(SqliteStore::open(&path).expect("a file without records"), setting)
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |given| given.parse().expect("a number"))
}

fn all(is_newest: bool) -> Vec<Test> {
    let mut tests = Vec::new();
    let stores = Arc::new(Stores::default());
    for file in files() {
        let kept = Arc::clone(&stores);
        let prove_over = move |server: &Server, frontend: Frontend| {
            prove(&Over { frontend, server: server.clone(), stores: Arc::clone(&kept) }, file);
        };
        if !is_newest || std::env::var_os(REQUIRED).is_none() {
            tests.push(test(format!("in_process_{file}"), move |server| prove_over(server, Box::new(InProcess))));
            continue;
        }
        let also = prove_over.clone();
        tests.push(test(format!("rocket_{file}"), move |server| prove_over(server, Box::new(Rocket))));
        tests.push(test(format!("poem_{file}"), move |server| also(server, Box::new(Poem))));
    }
    tests.push(test("postgresql_and_sqlite_answer_alike", move |server| {
        let files = OverFiles(TempDir::new().expect("a temporary directory"));
        let schemas = Over { frontend: Box::new(InProcess), server: server.clone(), stores };
        let (seed, count) = (number("CARE_PARITY_SEED", 20_260_315), number("CARE_PARITY_REQUESTS", 1_000));
        let count = usize::try_from(count).expect("a number of requests");
        let tally = parity::compare(&schemas, &files, seed, count).unwrap_or_else(|differ| panic!("{differ}"));
        assert!(!tally.statuses.contains_key(&500) && !tally.statuses.contains_key(&503), "{tally:?}");
    }));
    tests
}

fn main() -> ExitCode {
    scratch::run(all)
}
