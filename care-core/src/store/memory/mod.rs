//! The memory store.

mod table;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound::{Excluded, Unbounded},
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use self::table::{Tables, Terms, portion, record_json};
use super::{
    Act, ApiKeys, Change, CheckError, CommitNotifier, CommitNotifiers, Deciding, Decision, Entity, Entry, Epoch, Head,
    Journal, Key, KeyDecision, KeyPlan, Limit, Lookup, Maintenance, Plan, Portion, Query, Question, Record, RecordKey,
    RecordKind, Records, ReplayError, Seq, Transaction, Versioned, Work, drive_keys, drive_work,
    find::{SearchBudget, find},
    unless_inside_a_commit,
};
use crate::{
    error::{Error, StoreError, StoreErrorKind},
    model::{
        ApiKey, Date, Demand, Item, KeyId, NamePrefix, Patient, PatientId, Stock, StockDay, Timestamp, find_terms,
    },
};

/// A store in memory, for tests and demonstrations, and as the target of a replay.
///
/// One lock guards the whole store, and a decision runs under it. Nothing waits while it holds the lock.
#[derive(Debug)]
pub struct MemoryStore {
    epoch: Epoch,
    state: Mutex<State>,
    notifiers: CommitNotifiers,
}

#[derive(Debug, Clone, Default)]
struct State {
    tables: Tables,
    /// The terms of patients.
    terms: BTreeSet<(String, PatientId)>,
    journal: Vec<Entry>,
    keys: BTreeMap<KeyId, ApiKey>,
    /// The last entry that was replayed.
    replayed: Seq,
}

impl MemoryStore {
    /// Returns an empty store.
    pub fn new() -> Self {
        Self { epoch: Epoch::random(), state: Mutex::default(), notifiers: CommitNotifiers::default() }
    }

    /// Sets the epoch instead of a random one, so that tests know their entity tags.
    #[must_use]
    pub const fn with_epoch(mut self, epoch: Epoch) -> Self {
        self.epoch = epoch;
        self
    }

    fn state(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        unless_inside_a_commit()?;
        Ok(self.locked())
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        // Panics in decisions are caught before they can poison the lock, and `apply` leaves no change half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

/// A clone begins with the same epoch, records, journal and keys, and then goes its own way: tests make their records
/// once.
impl Clone for MemoryStore {
    fn clone(&self) -> Self {
        let state = Mutex::new(self.locked().clone());
        Self { epoch: self.epoch, state, notifiers: CommitNotifiers::default() }
    }
}

#[async_trait]
impl Records for MemoryStore {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        let state = self.state()?;
        Deciding::new(question).finish_within(|key, room| Ok(state.load(key, room)))
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        Ok(self.state()?.list(query, limit))
    }
}

#[async_trait]
impl Journal for MemoryStore {
    fn epoch(&self) -> Epoch {
        self.epoch
    }

    async fn transact(&self, act: Act, mut decision: Decision) -> Result<Option<Seq>, Error> {
        let mut state = self.state()?;
        act.in_time()?;
        let plan = Deciding::of(&mut decision).finish_within(|key, room| {
            act.in_time()?;
            Ok(state.load(key, room))
        })?;
        let written = state.write(&act, plan)?;
        drop(state);
        if let Some(seq) = written {
            self.notifiers.announce(seq);
        }
        Ok(written)
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        let mut state = self.state()?;
        ReplayError::unless_next(state.head(), &entries)?;
        for entry in entries {
            state.replayed = entry.seq;
            state.enter(entry);
        }
        let last = state.head().seq;
        drop(state);
        self.notifiers.announce(last);
        Ok(())
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        Ok(self.state()?.entries(after, limit))
    }

    async fn instants(&self, entries: &[Seq]) -> Result<Vec<Timestamp>, StoreError> {
        let state = self.state()?;
        let instant = |entry: &Seq| {
            let place = state.journal.binary_search_by_key(entry, |entry| entry.seq);
            place.map(|place| state.journal[place].at).map_err(|_| StoreErrorKind::Broken.into())
        };
        entries.iter().map(instant).collect()
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        Ok(self.state()?.head().seq)
    }

    async fn head(&self) -> Result<Head, StoreError> {
        Ok(self.state()?.head())
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        self.notifiers.add(notifier);
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(self)
    }
}

#[async_trait]
impl ApiKeys for MemoryStore {
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        Ok(self.state()?.keys.values().cloned().collect())
    }

    async fn decide_keys(&self, mut decision: KeyDecision) -> Result<(), StoreError> {
        let mut state = self.state()?;
        let all: Vec<_> = state.keys.values().cloned().collect();
        let KeyPlan { keys, entry } = drive_keys(&mut decision, &all)?;
        if let Some((act, mut entry)) = entry {
            state.decide(&act, &mut entry).map_err(StoreError::of_key_entry)?;
        }
        state.keys.extend(keys.into_iter().map(|key| (key.id.clone(), key)));
        let last = state.head().seq;
        drop(state);
        self.notifiers.announce(last);
        Ok(())
    }

    async fn replayed(&self) -> Result<Seq, StoreError> {
        Ok(self.state()?.replayed)
    }
}

#[async_trait]
impl Maintenance for MemoryStore {
    async fn alone(&self, work: Work) -> Result<(), Error> {
        let mut state = self.state()?;
        let before = state.clone();
        let done = drive_work(work, &mut *state);
        if done.is_err() {
            *state = before;
        }
        let last = state.head().seq;
        drop(state);
        self.notifiers.announce(last);
        done
    }

    /// Finds no damage: a value in memory is as it was put.
    async fn check(&self) -> Result<(), CheckError> {
        Ok(())
    }

    /// Does nothing: nothing is left of what was removed.
    async fn scrub(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Transaction for State {
    fn decide(&mut self, act: &Act, decision: &mut Decision) -> Result<Option<Seq>, Error> {
        let plan = Deciding::of(decision).unlimited().finish_within(|key, room| Ok(self.load(key, room)))?;
        Ok(self.write(act, plan)?)
    }

    fn list(&mut self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        Ok(Self::list(self, query, limit))
    }

    fn journal(&mut self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        Ok(self.entries(after, limit))
    }

    fn rewrite(&mut self, entry: &Entry) -> Result<(), StoreError> {
        if let Some(place) = self.journal.iter_mut().find(|place| place.seq == entry.seq) {
            place.clone_from(entry);
        }
        Ok(())
    }
}

impl State {
    fn head(&self) -> Head {
        self.journal.last().map_or(Head::START, Entry::head)
    }

    /// Writes what a decision has led to, and returns the number of its entry.
    fn write(&mut self, act: &Act, plan: Plan) -> Result<Option<Seq>, StoreError> {
        if plan.is_empty() {
            return Ok(None);
        }
        let entry = act.enter(self.head(), plan)?;
        let seq = entry.seq;
        self.enter(entry);
        Ok(Some(seq))
    }

    fn entries(&self, after: Seq, limit: Limit) -> Portion<Entry> {
        let from = self.journal.partition_point(|entry| entry.seq <= after);
        portion(&self.journal[from..], limit, serde_json::to_string)
    }

    /// Applies an entry and stores it.
    fn enter(&mut self, entry: Entry) {
        for change in entry.changes() {
            self.apply(entry.seq, change.clone());
        }
        self.journal.push(entry);
    }

    /// Returns what a key means, of several records no more than there is room for.
    fn load(&self, key: &Key, room: usize) -> Lookup {
        match key {
            Key::Record(key) => self.tables.get(key).cloned().into(),
            Key::Rows(selection, wanted) => self.tables.answer(selection, *wanted, room),
            Key::StockOrItem(medicine) => {
                let stock = self.tables.get(&Stock::key(medicine.clone()));
                stock.or_else(|| self.tables.get(&Item::key(medicine.clone()))).cloned().into()
            }
            Key::FreePatientNumber(above) => self.free_patient_number(*above).map_or(Lookup::None, Lookup::Number),
        }
    }

    fn free_patient_number(&self, above: i64) -> Option<u64> {
        let is_used =
            |id| [RecordKey::Patient(id), RecordKey::Voided(id)].iter().any(|key| self.tables.get(key).is_some());
        let mut number = above.checked_add(1)?;
        while is_used(PatientId::try_from(number).ok()?) {
            number = number.checked_add(1)?;
        }
        u64::try_from(number).ok()
    }

    fn apply(&mut self, seq: Seq, change: Change) {
        let new = match &change {
            Change::Put(record) => terms_of(record),
            Change::Remove(_) => Vec::new(),
        };
        if let Some(old) = self.tables.apply(seq, change) {
            for term in terms_of(&old) {
                self.terms.remove(&term);
            }
        }
        self.terms.extend(new);
    }

    fn list(&self, query: &Query, limit: Limit) -> Portion<Versioned<Record>> {
        match query {
            Query::Rows(rows) => portion(self.tables.select(&rows.selection, rows.after.as_ref()), limit, record_json),
            Query::Named(rows, prefix) => {
                let found = self.tables.select(&rows.selection, rows.after.as_ref());
                portion(found.filter(|found| is_named(&found.record, prefix)), limit, record_json)
            }
            Query::Found(text) => {
                let mut terms = Terms { tables: &self.tables, terms: &self.terms };
                match find(text, limit, &mut terms, &SearchBudget::new()) {
                    Ok(found) => found,
                    Err(never) => match never {},
                }
            }
            Query::DemandOf { medicine, from, to } => {
                let wanted = |demand: &Demand| demand.medicine.key() == medicine && (*from..=*to).contains(&demand.day);
                self.those(RecordKind::Demand, None, limit, wanted)
            }
            Query::StockDays { medicine, from, to, after } => {
                let wanted = |day: &StockDay| {
                    medicine.as_ref().is_none_or(|medicine| day.medicine.key() == medicine)
                        && day.day <= *to
                        && (day.day >= *from || self.is_last_before(day, *from))
                };
                self.those(RecordKind::StockDay, after.clone().map(StockDay::key), limit, wanted)
            }
            Query::All { after } => portion(self.tables.above(after.as_ref()), limit, record_json),
        }
    }

    /// Returns the first of the wanted records of a kind above a key.
    fn those<E: Entity>(
        &self,
        kind: RecordKind,
        after: Option<RecordKey>,
        limit: Limit,
        wanted: impl Fn(&E) -> bool,
    ) -> Portion<Versioned<Record>> {
        let rows = self.tables.of(kind).map(|table| table.range((after.map_or(Unbounded, Excluded), Unbounded)));
        let found = rows.into_iter().flatten().map(|(_, found)| found);
        portion(found.filter(|found| E::from_record(&found.record).is_some_and(&wanted)), limit, record_json)
    }

    /// Returns whether this is the last day of its medicine before the given one.
    fn is_last_before(&self, day: &StockDay, first: Date) -> bool {
        let key = StockDay::key((day.medicine.key().clone(), day.day));
        let next = self.tables.above(Some(&key)).next().and_then(|found| StockDay::from_record(&found.record));
        next.is_none_or(|next| !next.medicine.is_same(&day.medicine) || next.day >= first)
    }
}

/// Returns the terms by which a record is found, if it is a patient.
fn terms_of(record: &Record) -> Vec<(String, PatientId)> {
    let terms = |patient: &Patient| find_terms(patient).into_iter().map(|term| (term, patient.patient_id)).collect();
    Patient::from_record(record).map_or_else(Vec::new, terms)
}

/// Returns whether a record is a patient whose folded name has this prefix.
fn is_named(record: &Record, prefix: &NamePrefix) -> bool {
    let name = Patient::from_record(record).and_then(Patient::folded_name);
    name.is_some_and(|name| name.starts_with(prefix.as_str()))
}
