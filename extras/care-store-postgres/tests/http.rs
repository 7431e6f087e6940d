//! Both frontends keep the contract over PostgreSQL, and PostgreSQL and SQLite give the same answers.
//!
//! Running the cases takes minutes. They therefore run on the newest version alone, since the store's own suite runs on
//! each. The frontends run only where PostgreSQL is required, as `.ci/run` does, and each with every other file of
//! cases, since both run all of them over the other stores; elsewhere the cases run in process.
//! `CARE_PARITY_REQUESTS` and `CARE_PARITY_SEED` make a longer or a different run.

#[path = "../../care-conformance/tests/suite/frontends.rs"]
mod frontends;
mod scratch;

use std::{
    collections::BTreeSet,
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

/// A frontend over schemas that cases share one after another, because creating a schema takes longer than running a
/// case.
struct Over {
    frontend: Frontend,
    server: Server,
    schemas: Arc<Schemas>,
    /// Whether a world may be a copy, whose service has not announced the entries that made its records.
    copies: bool,
}

/// Any frontend.
type Frontend = Box<dyn Target + Send>;

/// A function that makes a frontend.
type Make = fn() -> Frontend;

/// The schemas of all tests.
type Schemas = Mutex<Vec<Arc<Schema>>>;

/// A schema, and the store on it.
struct Schema {
    address: String,
    store: Arc<PostgresStore>,
    /// The ends of the names of other schemas, each of which holds a copy of a new world.
    copies: Mutex<BTreeSet<String>>,
}

impl Target for Over {
    fn start(&self, api: Api) -> RunningTarget {
        self.frontend.start(api)
    }

    fn world(&self, setting: &Setting) -> World {
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        let free = schemas.iter().find(|schema| Arc::strong_count(&schema.store) == 1).cloned();
        let schema = free.unwrap_or_else(|| {
            let address = self.server.schema();
            let store = Arc::new(PostgresStore::open(&address).expect("an empty schema"));
            schemas.push(Arc::new(Schema { address, store, copies: Mutex::default() }));
            Arc::clone(&schemas[schemas.len() - 1])
        });
        let store = Arc::clone(&schema.store);
        drop(schemas);
        let run = |script: &str| self.server.execute(&schema.address, script).expect("tables that no case is using");
        let mut copies = schema.copies.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that change what a new world stores. One with a patient of its own is made for its case alone.
        let Setting {
            utc_offset,
            tracked_stock,
            withdrawn_currency,
            patient,
            base: _,
            body_limit: _,
            failures: _,
            address_header: _,
            audits_reads: _,
            static_files: _,
            contract_only: _,
            highest_price: _,
        } = setting;
        let copy =
            format!("_{}_{}_{}", utc_offset.rem_euclid(1440), u8::from(*tracked_stock), u8::from(*withdrawn_currency));
        let is_copied = self.copies && patient.is_none();
        if is_copied && copies.contains(&copy) {
            run(&each_table("DELETE FROM %1$I; INSERT INTO %1$I SELECT * FROM %2$I.%1$I", &copy));
            return World::again(store, setting);
        }
        run(&format!("{}; UPDATE care SET epoch = {}", each_table("DELETE FROM %1$I", ""), EPOCH.value()));
        let world = World::on(store, setting);
        if is_copied {
            run(&format!("DO $$ BEGIN EXECUTE format('CREATE SCHEMA %I', current_schema() || '{copy}'); END $$"));
            run(&each_table("CREATE TABLE %2$I.%1$I AS TABLE %1$I", &copy));
            copies.insert(copy);
        }
        world
    }
}

/// Returns a script that runs a statement for each table with records in the first schema of the search path. In the
/// statement `%1$I` is the table, and `%2$I` the schema whose name has `copy` at its end besides.
fn each_table(statement: &str, copy: &str) -> String {
    format!(
        "DO $$ DECLARE name text; place text := current_schema(); BEGIN \
         FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = place AND tablename <> 'care' LOOP \
         EXECUTE format('{statement}', name, place || '{copy}'); END LOOP; END $$"
    )
}

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
    let schemas = Arc::new(Schemas::default());
    let frontends: [(&str, Make); 2] = [("rocket", || Box::new(Rocket)), ("poem", || Box::new(Poem))];
    let cases = files().filter(|_| is_newest);
    for (file, (name, frontend)) in cases.zip(frontends.into_iter().cycle()) {
        let shared = Arc::clone(&schemas);
        let prove_over = move |server: &Server, frontend: Frontend| {
            // Cases on news read what a service has announced.
            let (schemas, copies) = (Arc::clone(&shared), file != "news");
            prove(&Over { frontend, server: server.clone(), schemas, copies }, file);
        };
        if std::env::var_os(REQUIRED).is_none() {
            tests.push(test(format!("in_process_{file}"), move |server| prove_over(server, Box::new(InProcess))));
            continue;
        }
        tests.push(test(format!("{name}_{file}"), move |server| prove_over(server, frontend())));
    }
    tests.push(test("postgresql_and_sqlite_answer_alike", move |server| {
        let files = OverFiles(TempDir::new().expect("a temporary directory"));
        let schemas = Over { frontend: Box::new(InProcess), server: server.clone(), schemas, copies: false };
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
