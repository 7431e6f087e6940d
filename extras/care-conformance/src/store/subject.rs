//! The store under test, with short methods for the cases.

use std::{
    fmt::Debug,
    future::Future,
    panic::resume_unwind,
    sync::{Arc, Mutex},
};

use care_core::{
    error::{Error, StoreError},
    store::{
        Act, ApiKeys, Ask, CareStore, Change, Entity, Entry, Key, Limit, Lookup, Outcome, Query, Record, RecordKey,
        Seen, Seq, Stop, Versioned,
    },
};

use super::{
    StoreFixture,
    opened::{OpenStore, Opened},
};
use crate::samples;

/// A limit above the number of items that any case writes.
pub(super) const ALL: usize = 100_000;

/// Panics without a word: a backtrace of each would bury what a failing case says.
pub(super) fn planted_panic() -> ! {
    resume_unwind(Box::new("planted by the suite"))
}

/// A store and its fixture. The cases do not know their types, so they are compiled once instead of once for each
/// store.
pub(super) struct Subject(Box<dyn Opened>);

impl Subject {
    pub(super) fn open(fixture: impl StoreFixture) -> Self {
        Self(Box::new(OpenStore { store: Arc::new(fixture.open()), fixture }))
    }

    pub(super) fn reopen(self) -> Option<Self> {
        self.0.reopen().map(Self)
    }

    pub(super) fn store(&self) -> &dyn CareStore {
        self.0.store()
    }

    /// Returns the store for a service on top of it, which has to be dropped before this.
    pub(super) fn shared(&self) -> Arc<dyn CareStore> {
        self.0.shared()
    }

    pub(super) fn keys(&self) -> Option<&dyn ApiKeys> {
        self.0.keys()
    }

    pub(super) fn reads_pass_decisions(&self) -> bool {
        self.0.reads_pass_decisions()
    }

    pub(super) fn keeps(&self, text: &str) -> Option<bool> {
        self.0.keeps(text)
    }

    pub(super) fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        let mut result = None;
        self.0.run(Box::pin(async { result = Some(future.await) }));
        result.expect("the future has ended")
    }

    /// Runs a decision.
    pub(super) fn attempt(
        &self,
        decision: impl FnMut(&Seen) -> Result<Vec<Change>, Stop> + Send + 'static,
    ) -> Result<Option<Seq>, Error> {
        self.attempt_as(samples::act(), decision)
    }

    pub(super) fn attempt_as(
        &self,
        act: Act,
        mut decision: impl FnMut(&Seen) -> Result<Vec<Change>, Stop> + Send + 'static,
    ) -> Result<Option<Seq>, Error> {
        self.decide(act, move |seen| decision(seen).map(Outcome::from))
    }

    /// Runs a decision that may note reads.
    pub(super) fn decide(
        &self,
        act: Act,
        decision: impl FnMut(&Seen) -> Result<Outcome, Stop> + Send + 'static,
    ) -> Result<Option<Seq>, Error> {
        self.block_on(self.store().transact(act, Box::new(decision)))
    }

    /// Commits these changes, without a read first.
    pub(super) fn commit(&self, changes: Vec<Change>) -> Seq {
        self.attempt(move |_| Ok(changes.clone()))
            .expect("the changes are taken")
            .expect("changes are an entry in the journal")
    }

    /// Commits one record.
    pub(super) fn put(&self, record: impl Into<Record>) -> Seq {
        self.commit(vec![Change::put(record)])
    }

    /// Commits the removal of one record.
    pub(super) fn remove(&self, key: RecordKey) -> Seq {
        self.commit(vec![Change::Remove(key)])
    }

    /// Commits these changes, with a note that these records were read.
    pub(super) fn commit_reading(&self, changes: Vec<Change>, reads: Vec<RecordKey>) -> Seq {
        let outcome = Outcome { changes, reads, erased: None };
        self.decide(samples::act(), move |_| Ok(outcome.clone()))
            .expect("the changes are taken")
            .expect("a read is an entry in the journal")
    }

    /// Runs a question in one read snapshot.
    pub(super) fn try_read<T: Send>(
        &self,
        mut question: impl FnMut(&Seen) -> Result<T, Stop> + Send,
    ) -> Result<T, Error> {
        let mut answer = None;
        self.block_on(self.store().read(&mut |seen| {
            answer = Some(question(seen)?);
            Ok(())
        }))?;
        Ok(answer.expect("a read ends when the question is content"))
    }

    pub(super) fn read<T: Send>(&self, question: impl FnMut(&Seen) -> Result<T, Stop> + Send) -> T {
        self.try_read(question).expect("the question is answered")
    }

    /// Asks the same question in a read and in a decision, which must give the same answer. Only for cases without
    /// concurrent writers.
    pub(super) fn ask<T: PartialEq + Debug + Send + 'static>(
        &self,
        question: impl Fn(&Seen) -> Result<T, Stop> + Send + Sync + 'static,
    ) -> T {
        let read = self.read(&question);
        let decided = Arc::new(Mutex::new(None));
        let answer = Arc::clone(&decided);
        let seq = self
            .attempt(move |seen| {
                let found = question(seen)?;
                *answer.lock().expect("nothing panics under it") = Some(found);
                Ok(Vec::new())
            })
            .expect("the decision is answered");
        assert_eq!(seq, None, "a decision without changes is no entry");
        let decided = decided.lock().expect("nothing panics under it").take();
        assert_eq!(decided.as_ref(), Some(&read), "a decision and a read are answered the same");
        read
    }

    /// Returns the one record that is asked for.
    pub(super) fn one<E: Sample>(&self, ask: Ask<Option<Versioned<E>>>) -> Option<Versioned<E>> {
        self.ask(move |seen| Ok(seen.one(ask.clone())?.map(owned)))
    }

    /// Returns the record with this identifier.
    pub(super) fn get<E: Sample>(&self, id: E::Id) -> Option<Versioned<E>> {
        self.one(Ask::record(id))
    }

    /// Returns all records that are asked for.
    pub(super) fn all<E: Sample>(&self, ask: Ask<Vec<Versioned<E>>>) -> Vec<Versioned<E>> {
        self.ask(move |seen| Ok(seen.all(ask.clone())?.map(owned).collect()))
    }

    /// Returns the record with this key, of any kind.
    pub(super) fn record(&self, key: RecordKey) -> Option<Versioned<Record>> {
        self.ask(move |seen| record(seen, &key))
    }

    pub(super) fn list(&self, query: &Query, limit: usize) -> Vec<Versioned<Record>> {
        self.try_list(query, limit).expect("the list is answered")
    }

    pub(super) fn try_list(&self, query: &Query, limit: usize) -> Result<Vec<Versioned<Record>>, StoreError> {
        self.block_on(self.store().list(query, Limit::items(limit))).map(|portion| portion.items)
    }

    pub(super) fn journal(&self, after: Seq, limit: usize) -> Vec<Entry> {
        self.block_on(self.store().journal(after, Limit::items(limit))).expect("the journal is read").items
    }

    /// Returns the whole journal, and checks that it is numbered without gaps.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let entries = self.journal(Seq::ZERO, ALL);
        for (entry, number) in entries.iter().zip(1..) {
            assert_eq!(entry.seq, Seq::new(number), "seq has no gaps");
            assert!(!entry.is_empty(), "no entry is empty");
        }
        entries
    }

    /// Returns the changes of the last entry, if there is one.
    pub(super) fn last_changes(&self) -> Option<Vec<Change>> {
        self.entries().pop().map(changes_of)
    }

    /// Returns for each change of the last entry the version that the record had before.
    pub(super) fn last_replaced(&self) -> Option<Vec<Seq>> {
        let entry = self.entries().pop()?;
        Some(entry.revisions.into_iter().map(|revision| revision.replaced).collect())
    }

    /// Returns the number of the last entry.
    pub(super) fn last_seq(&self) -> Seq {
        self.entries().last().map_or(Seq::ZERO, |entry| entry.seq)
    }
}

/// Returns the changes of an entry, without the versions that they replaced.
pub(super) fn changes_of(entry: Entry) -> Vec<Change> {
    entry.revisions.into_iter().map(|revision| revision.change).collect()
}

/// A record that cases can compare, show, and send to another thread.
pub(super) trait Sample: Entity + Debug + Send {}

impl<E: Entity + Debug + Send> Sample for E {}

/// Returns a clone of a record together with its version.
pub(super) fn owned<E: Clone>(found: Versioned<&E>) -> Versioned<E> {
    Versioned { version: found.version, record: found.record.clone() }
}

/// Returns the record with this key, of any kind, as a question or a decision sees it.
pub(super) fn record(seen: &Seen, key: &RecordKey) -> Result<Option<Versioned<Record>>, Stop> {
    match seen.lookup(&Key::Record(key.clone()))? {
        Lookup::Many(records) => Ok(records.into_iter().next()),
        Lookup::None | Lookup::One(_) | Lookup::TooMany | Lookup::Number(_) => Ok(None),
    }
}
