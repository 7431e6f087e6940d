//! The common parts of the tests: a directory, short functions for a store, and a second process.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
};

use care_core::{
    error::{Error, StoreErrorKind},
    model::{Address, Patient, PatientId, Timestamp},
    operation::Operation,
    store::{Act, Change, Counter, Decision, Journal, Limit, Outcome, Records, Seen, Seq, Series, Stop},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;
use rusqlite::Connection;
use tempfile::TempDir;

/// The environment variable with the database of a second process.
const DATABASE: &str = "CARE_TEST_DATABASE";

/// A directory for one database.
pub(crate) struct Bench(TempDir);

impl Bench {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path("care.db")
    }

    pub(crate) fn open(&self) -> SqliteStore {
        SqliteStore::open(self.database()).unwrap()
    }

    /// Opens a plain connection, as another program would.
    pub(crate) fn stranger(&self) -> Connection {
        Connection::open(self.database()).unwrap()
    }

    /// Returns the names of the files in the directory, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files: Vec<_> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        files
    }

    /// Returns a copy of the database and its log as a kill would leave them, in a directory of its own.
    pub(crate) fn as_killed(&self) -> Self {
        let copy = Self::new();
        for name in ["care.db", "care.db-wal"] {
            fs::copy(self.path(name), copy.path(name)).unwrap();
        }
        copy
    }
}

pub(crate) fn act() -> Act {
    Act::new("tester", Operation::UpdatePatient, Timestamp::from_unix_millis(0).unwrap())
}

pub(crate) fn wanting(changes: Vec<Change>) -> Decision {
    Box::new(move |_| Ok(changes.clone().into()))
}

pub(crate) fn commit(store: &SqliteStore, changes: Vec<Change>) -> Result<Option<Seq>, Error> {
    block_on(store.transact(act(), wanting(changes)))
}

pub(crate) fn patient(number: i64) -> Patient {
    Patient::new(PatientId::try_from(number).unwrap())
}

/// Returns a patient of more than a kilobyte.
pub(crate) fn large_patient(number: i64) -> Patient {
    Patient { address: Some(Address::new("x".repeat(1024)).unwrap()), ..patient(number) }
}

pub(crate) fn has(store: &SqliteStore, number: i64) -> bool {
    try_has(store, number).unwrap()
}

pub(crate) fn try_has(store: &SqliteStore, number: i64) -> Result<bool, Error> {
    let mut found = false;
    block_on(store.read(&mut |seen: &mut Seen| {
        found = seen.get::<Patient>(patient(number).patient_id)?.is_some();
        Ok(())
    }))?;
    Ok(found)
}

/// Returns the change that adds one to a counter.
pub(crate) fn count(seen: &Seen) -> Result<Outcome, Stop> {
    let series = Series::Invoice;
    let last = seen.get::<Counter>(series)?.map_or(0, |counter| counter.record.last);
    Ok(vec![Change::put(Counter { series, last: last + 1 })].into())
}

pub(crate) fn counted(store: &SqliteStore) -> i64 {
    let mut last = 0;
    block_on(store.read(&mut |seen: &mut Seen| {
        last = seen.get::<Counter>(Series::Invoice)?.map_or(0, |counter| counter.record.last);
        Ok(())
    }))
    .unwrap();
    last
}

/// Returns a decision without changes that reports its run and then waits until it is released.
pub(crate) fn gate() -> (Decision, Receiver<()>, Sender<()>) {
    let (entered, entry) = channel();
    let (let_go, go) = channel();
    let decision = Box::new(move |_: &Seen| {
        entered.send(()).unwrap();
        // The decision continues as well when the other end is dropped.
        let _ = go.recv();
        Ok(Outcome::default())
    });
    (decision, entry, let_go)
}

pub(crate) fn kind<T: std::fmt::Debug>(answer: Result<T, Error>) -> StoreErrorKind {
    match answer {
        Err(Error::Store(error)) => error.kind(),
        other => panic!("no failure of the store: {other:?}"),
    }
}

pub(crate) fn seqs(store: &SqliteStore) -> Vec<u64> {
    block_on(store.journal(Seq::ZERO, Limit::ALL)).unwrap().items.iter().map(|entry| entry.seq.value()).collect()
}

/// Returns a process that runs one of the ignored tests of this binary, with this database, after a line of shell.
pub(crate) fn process(shell: &str, test: &str, database: &Path) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!(r#"{shell}; exec "$0" "$@""#)])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(DATABASE, database)
        .stdout(Stdio::piped());
    command
}

/// Returns the database, in such a process.
pub(crate) fn given_database() -> PathBuf {
    std::env::var_os(DATABASE).unwrap().into()
}
