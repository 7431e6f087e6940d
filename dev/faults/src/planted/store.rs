//! A sound store with a bug around it.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use async_trait::async_trait;
use care_core::{
    error::{Conflict, Error, StoreError, StoreErrorKind},
    model::PatientId,
    operation::Operation,
    store::{Act, Change, Decision, Journal, Key, Outcome, Question, Record, RecordKey, Records, Seen, Seq, Stop},
};
use care_store_sqlite::{OpenError, SqliteStore};
use care_testkit::{Hooks, Wrap};
use futures_executor::block_on;
use rusqlite::Connection;

use super::Plant;
use crate::lock;

/// The time for which a planted bug leaves a change half done.
const HALF_DONE: Duration = Duration::from_millis(2);
/// The number of bytes that a leak keeps of each read.
const KEPT: usize = 8192;

/// A store with a bug.
#[derive(Debug)]
pub struct BuggyStore {
    store: Arc<SqliteStore>,
    plant: Plant,
    database: PathBuf,
    alone: Mutex<()>,
    count: AtomicU64,
    /// The leaked memory.
    kept: Mutex<Vec<Vec<u8>>>,
}

/// A decision that can be run again.
type Again = Arc<Mutex<Decision>>;

impl BuggyStore {
    /// Opens a database with this bug.
    ///
    /// # Errors
    /// The reason why the database is refused.
    pub fn open(database: &Path, plant: Plant) -> Result<Wrap<Self>, OpenError> {
        let (store, database) = (Arc::new(SqliteStore::open(database)?), database.to_owned());
        let (alone, count, kept) = (Mutex::default(), AtomicU64::default(), Mutex::default());
        Ok(Wrap(Self { store, plant, database, alone, count, kept }))
    }

    /// Decides on the current state, and commits a little later.
    async fn early_answer(&self, act: Act, decision: Again) -> Result<Option<Seq>, Error> {
        let mut outcome = Outcome::default();
        self.store
            .read(&mut |seen| {
                outcome = run(&decision, seen)?;
                Ok(())
            })
            .await?;
        if outcome.is_empty() {
            return Ok(None);
        }
        let store = Arc::clone(&self.store);
        thread::spawn(move || {
            thread::sleep(100 * HALF_DONE);
            // The caller already has its answer and is not told of a failure.
            let _ = block_on(store.transact(act, again(&decision)));
        });
        Ok(Some(Seq::ZERO))
    }

    /// Removes the entry from the journal and puts it back.
    fn journal_apart(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        let _alone = lock(&self.alone);
        let made = apart(|| block_on(self.store.transact(act, decision)))?;
        let moved = made.map(|seq| move_entry(&self.database, seq));
        moved.transpose().map_err(|error| StoreError::new(StoreErrorKind::Broken, error))?;
        Ok(made)
    }

    async fn upsert(&self, act: Act, decision: Again) -> Result<Option<Seq>, Error> {
        let wanted: Arc<Mutex<Option<PatientId>>> = Arc::default();
        let (noted, first) = (Arc::clone(&wanted), Arc::clone(&decision));
        let noting = move |seen: &Seen| {
            let answer = run(&first, seen);
            if let Err(Stop::Need(keys)) = &answer
                && let [Key::Record(RecordKey::Patient(id)), ..] = keys[..]
            {
                *lock(&noted) = Some(id);
            }
            answer
        };
        match self.store.transact(act.clone(), Box::new(noting)).await {
            Err(Error::Conflict(Conflict::PatientExists)) => {
                let id = *lock(&wanted);
                let gone = id.map(|id| Change::Remove(RecordKey::Patient(id)));
                let remove = Box::new(move |_: &Seen| Ok(gone.iter().cloned().collect::<Vec<_>>().into()));
                self.store.transact(act.clone(), remove).await?;
                self.store.transact(act, again(&decision)).await
            }
            made => made,
        }
    }

    async fn torn(&self, act: Act, decision: Again) -> Result<Option<Seq>, Error> {
        let rest: Arc<Mutex<Vec<Change>>> = Arc::default();
        let left = Arc::clone(&rest);
        let first = move |seen: &Seen| {
            let mut outcome = run(&decision, seen)?;
            let rest = outcome.changes.split_off(outcome.changes.len().div_ceil(2));
            *lock(&left) = rest;
            Ok(outcome)
        };
        let made = self.store.transact(act.clone(), Box::new(first)).await?;
        thread::sleep(HALF_DONE);
        let rest = std::mem::take(&mut *lock(&rest));
        let later = self.store.transact(act, Box::new(move |_: &Seen| Ok(rest.clone().into()))).await?;
        Ok(later.or(made))
    }
}

#[async_trait]
impl Hooks for BuggyStore {
    type Store = SqliteStore;

    fn store(&self) -> &Self::Store {
        &self.store
    }

    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        if self.plant == Plant::Leak {
            lock(&self.kept).push(vec![1; KEPT]);
        }
        self.store.read(question).await
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        match self.plant {
            // Without this, a client that reads its own write right away would notice the bug without a kill.
            Plant::EarlyAnswer if act.operation != Operation::UpdateMedicine.into() => {
                self.store.transact(act, decision).await
            }
            Plant::EarlyAnswer => self.early_answer(act, Arc::new(Mutex::new(decision))).await,
            Plant::JournalApart => self.journal_apart(act, decision),
            Plant::UpsertOnCreate => self.upsert(act, Arc::new(Mutex::new(decision))).await,
            Plant::DoubleCount => {
                let counted = act.operation == Operation::PayInvoice.into();
                self.store.transact(act, changed(decision, move |change| count_twice(change, counted))).await
            }
            Plant::TornUpdate => self.torn(act, Arc::new(Mutex::new(decision))).await,
            Plant::FalseRefusal => {
                let made = self.store.transact(act, decision).await?;
                match self.count.fetch_add(1, Ordering::Relaxed) % 50 {
                    49 => Err(StoreError::from(StoreErrorKind::Busy).into()),
                    _ => Ok(made),
                }
            }
            Plant::Leak => self.store.transact(act, decision).await,
            Plant::Panic => {
                let number = Arc::new(Mutex::new(0));
                let told = Arc::clone(&number);
                let made = self.store.transact(act, changed(decision, move |change| panic_at(change, &told))).await;
                assert!(*lock(&number) != 667, "planted in the store");
                made
            }
        }
    }
}

fn run(decision: &Again, seen: &Seen) -> Result<Outcome, Stop> {
    let mut decision = lock(decision);
    decision(seen)
}

fn again(decision: &Again) -> Decision {
    let decision = Arc::clone(decision);
    Box::new(move |seen| run(&decision, seen))
}

/// Returns a decision whose changes are each altered.
fn changed(mut decision: Decision, change: impl Fn(&mut Change) + Send + 'static) -> Decision {
    Box::new(move |seen| {
        let mut outcome = decision(seen)?;
        outcome.changes.iter_mut().for_each(&change);
        Ok(outcome)
    })
}

const fn count_twice(change: &mut Change, counted: bool) {
    if let (Change::Put(Record::History(history)), true) = (change, counted) {
        history.visits += 1;
    }
}

fn panic_at(change: &Change, told: &Mutex<i64>) {
    if let Change::Put(Record::Patient(patient)) = change {
        let number = patient.patient_id.value();
        assert!(number != 666, "planted in the decision");
        *lock(told) = number;
    }
}

/// Runs work on a thread of its own, because the caller may be inside an executor.
fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

fn move_entry(database: &Path, seq: Seq) -> rusqlite::Result<()> {
    let conn = Connection::open(database)?;
    conn.busy_timeout(Duration::from_secs(5))?;
    let seq = seq.value();
    conn.execute_batch(&format!(
        "CREATE TEMP TABLE kept AS SELECT * FROM journal WHERE seq = {seq}; DELETE FROM journal WHERE seq = {seq}"
    ))?;
    thread::sleep(HALF_DONE);
    conn.execute_batch("INSERT INTO journal SELECT * FROM kept")
}
