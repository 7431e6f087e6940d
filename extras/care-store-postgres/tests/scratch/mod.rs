//! Schemas on servers that all tests of a program share, and the message shown when there is no server.

#![allow(dead_code, reason = "each program uses what it needs")]

use std::{
    io,
    process::ExitCode,
    sync::{Arc, LazyLock, OnceLock},
};

use care_scratch_postgres::{Cluster, Durability, Installation, Pooler, installations};
use care_store_postgres::PostgresStore;
use libtest_mimic::{Arguments, Completion, Trial};

/// A server that the first test to need it starts.
#[derive(Clone)]
pub(crate) struct Server {
    /// Declared before the server, so that it is dropped first.
    pooler: Arc<OnceLock<Pooler>>,
    cluster: Arc<LazyLock<Cluster, Box<dyn FnOnce() -> Cluster + Send>>>,
    installation: Installation,
}

/// A test with its name, or the reason why it is skipped.
pub(crate) type Test = (String, Result<Box<dyn FnOnce(&Server) + Send>, &'static str>);

/// Most schemas on a server whose pooler is used.
const SCHEMAS: u64 = 1_000;

impl Server {
    fn of(installation: &Installation) -> Self {
        let started = installation.clone();
        let start = move || Cluster::start(&started, Durability::None, &[]).expect("PostgreSQL starts");
        let cluster = Arc::new(LazyLock::new(Box::new(start) as _));
        Self { cluster, pooler: Arc::default(), installation: installation.clone() }
    }

    /// Returns the server itself.
    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns the installation that the server runs.
    pub(crate) fn installation(&self) -> &Installation {
        &self.installation
    }

    /// Returns the address of a new, empty schema.
    pub(crate) fn schema(&self) -> String {
        let schema = self.cluster().schema().expect("a new schema");
        self.cluster().address(&schema)
    }

    /// Returns the address of a new, empty schema through a pooler.
    pub(crate) fn pooled_schema(&self) -> String {
        let program = Pooler::program().expect("pgbouncer, without which the test is left out");
        let start = || Pooler::start(self.cluster(), &program, &Cluster::names(SCHEMAS)).expect("PgBouncer starts");
        self.pooler.get_or_init(start).address(&self.cluster().role().expect("a new schema"))
    }

    /// Returns a store on a new, empty schema.
    pub(crate) fn store(&self) -> PostgresStore {
        PostgresStore::open(&self.schema()).expect("an empty schema")
    }

    /// Runs a script in the schema of this address.
    pub(crate) fn execute(&self, address: &str, script: &str) -> io::Result<()> {
        let schema = address.rsplit("%3D").next().unwrap_or_default();
        self.cluster().execute(&format!("SET search_path = {schema}; {script}"))
    }
}

/// Returns a named test.
pub(crate) fn test(name: impl Into<String>, run: impl FnOnce(&Server) + Send + 'static) -> Test {
    (name.into(), Ok(Box::new(run)))
}

/// Returns a named test that needs PgBouncer, and is skipped where that is not installed.
pub(crate) fn pooled(name: impl Into<String>, run: impl FnOnce(&Server) + Send + 'static) -> Test {
    match Pooler::program() {
        Ok(_) => test(name, run),
        Err(_) => (name.into(), Err("no pgbouncer found")),
    }
}

/// Runs the tests on each installed version, or reports them as skipped if there is none. `tests` is told whether a
/// version is the newest, because some tests run only there.
pub(crate) fn run(tests: impl Fn(bool) -> Vec<Test>) -> ExitCode {
    let arguments = Arguments::from_args();
    let trials: Vec<_> = match installations() {
        Ok(installed) => {
            let newest = installed.len() - 1;
            let each = installed.iter().enumerate();
            each.flat_map(|(place, installation)| on(installation, tests(place == newest))).collect()
        }
        Err(missing) => tests(true)
            .into_iter()
            .map(|(name, _)| Trial::ignorable_test(name, move || Ok(Completion::ignored_with(missing))))
            .collect(),
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn on(installation: &Installation, tests: Vec<Test>) -> impl Iterator<Item = Trial> {
    let server = Server::of(installation);
    let kind = installation.to_string();
    tests.into_iter().map(move |(name, run)| {
        let server = server.clone();
        let trial = Trial::ignorable_test(name, move || match run {
            Ok(run) => {
                run(&server);
                Ok(Completion::Completed)
            }
            Err(missing) => Ok(Completion::ignored_with(missing)),
        });
        trial.with_kind(kind.clone())
    })
}
