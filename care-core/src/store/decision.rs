//! Decisions, and the loop that runs them.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use super::{Change, Entity, Key, Plan, Record, RecordKey, Seq, Versioned};
use crate::error::{Error, StoreError, StoreErrorKind};

/// A use case as a store runs it: from what it has seen to what it wants changed.
///
/// It is pure: it may run any number of times, and only the last run counts.
pub type Decision = Box<dyn FnMut(&Seen) -> Result<Vec<Change>, Stop> + Send>;

/// A read as a store runs it. It borrows, so it can leave its answer where the caller finds it, and it may
/// [take](Seen::take) what it answers with.
pub type Question<'a> = dyn FnMut(&mut Seen) -> Result<(), Stop> + Send + 'a;

/// Why a decision stopped short of an answer.
#[derive(Debug)]
pub enum Stop {
    /// It has not seen what this key means; load it and run the decision again.
    Need(Key),
    /// It refuses.
    Refuse(Error),
}

/// What the transaction has read so far.
#[derive(Debug, Default)]
pub struct Seen {
    // A decision sees a handful of keys, so a list is faster than a map.
    loaded: Vec<(Key, Found)>,
}

/// What a store found under a key.
#[derive(Debug, Clone, Default)]
#[expect(clippy::large_enum_variant, reason = "nearly every answer is one record, and a box would cost each read")]
pub enum Found {
    /// Nothing.
    #[default]
    None,
    /// One record.
    One(Versioned<Record>),
    /// Several, in the key's order.
    Many(Vec<Versioned<Record>>),
}

impl Seen {
    /// Nothing yet, with room for what most reads ask for.
    fn new() -> Self {
        Self { loaded: Vec::with_capacity(2) }
    }

    /// The record with this identity, if there is one.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet: hand it on with `?`.
    pub fn get<E: Entity>(&self, id: E::Id) -> Result<Option<Versioned<&E>>, Stop> {
        self.one(E::key(id).into())
    }

    /// The one record that a key means, if there is one.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet.
    pub fn one<E: Entity>(&self, key: Key) -> Result<Option<Versioned<&E>>, Stop> {
        Ok(self.found(key)?.first().and_then(typed))
    }

    /// Takes the record with this identity out, for an answer that is made of it: what was taken is not seen any more.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet.
    pub fn take<E: Entity>(&mut self, id: E::Id) -> Result<Option<Versioned<E>>, Stop> {
        let key = Key::Record(E::key(id));
        let Some(at) = self.loaded.iter().position(|(seen, _)| *seen == key) else {
            return Err(Stop::Need(key));
        };
        Ok(match self.loaded.swap_remove(at).1 {
            Found::One(Versioned { version, record }) => {
                E::try_from_record(record).map(|record| Versioned { version, record })
            }
            Found::None | Found::Many(_) => None,
        })
    }

    /// All records that a key means.
    ///
    /// # Errors
    /// [`Stop::Need`] when they were not loaded yet.
    pub fn all<E: Entity>(&self, key: Key) -> Result<impl Iterator<Item = Versioned<&E>>, Stop> {
        Ok(self.found(key)?.iter().filter_map(typed))
    }

    /// Whether exactly this record is stored, as far as was seen.
    pub(crate) fn holds(&self, record: &Record) -> bool {
        self.loaded
            .iter()
            // A free number is made up by the store, and stored by nobody yet.
            .filter(|(key, _)| !matches!(key, Key::FreePatientNumber(_)))
            .any(|(_, found)| found.as_slice().iter().any(|found| found.record == *record))
    }

    /// Whether this record is known not to be there.
    pub(crate) fn lacks(&self, key: &RecordKey) -> bool {
        self.loaded.iter().any(|(seen, found)| matches!((seen, found), (Key::Record(seen), Found::None) if seen == key))
    }

    /// The version of a record, [`Seq::ZERO`] when there is none; `None` when it was not loaded yet.
    pub(super) fn version(&self, key: &RecordKey) -> Option<Seq> {
        // A free number is made up by the store, and stored by nobody yet.
        let stored = self.loaded.iter().filter(|(key, _)| !matches!(key, Key::FreePatientNumber(_)));
        let mut records = stored.flat_map(|(_, found)| found.as_slice());
        let found = records.find(|found| found.record.key() == *key).map(|found| found.version);
        found.or_else(|| self.lacks(key).then_some(Seq::ZERO))
    }

    /// What is to be loaded to know which version a change replaces.
    fn unseen(&self, change: &Change) -> Option<Key> {
        let key = change.key();
        self.version(&key).is_none().then(|| key.into())
    }

    fn found(&self, key: Key) -> Result<&[Versioned<Record>], Stop> {
        match self.loaded.iter().find(|(seen, _)| *seen == key) {
            Some((_, found)) => Ok(found.as_slice()),
            None => Err(Stop::Need(key)),
        }
    }
}

impl Found {
    fn as_slice(&self) -> &[Versioned<Record>] {
        match self {
            Self::None => &[],
            Self::One(record) => std::slice::from_ref(record),
            Self::Many(records) => records,
        }
    }
}

fn typed<E: Entity>(found: &Versioned<Record>) -> Option<Versioned<&E>> {
    E::from_record(&found.record).map(|record| Versioned { version: found.version, record })
}

/// Runs a question to its end, loading what it asks for.
///
/// Stores that load without waiting call this inside their transaction. A panic in the question becomes an error,
/// so that it costs its own transaction and nothing else.
///
/// # Errors
/// The refusal, or the failure of `load`.
pub fn drive<T>(
    ask: &mut (impl FnMut(&mut Seen) -> Result<T, Stop> + ?Sized),
    mut load: impl FnMut(&Key) -> Result<Found, StoreError>,
) -> Result<T, Error> {
    let mut seen = Seen::new();
    loop {
        match step(|| ask(&mut seen)) {
            Step::Done(answer) => return answer,
            Step::Load(key) => {
                let found = load(&key)?;
                seen.loaded.push((key, found));
            }
        }
    }
}

/// [`drive`] for stores whose loading waits.
///
/// # Errors
/// The refusal, or the failure of `load`.
pub async fn drive_async<T>(
    ask: &mut (impl FnMut(&mut Seen) -> Result<T, Stop> + Send + ?Sized),
    mut load: impl AsyncFnMut(&Key) -> Result<Found, StoreError>,
) -> Result<T, Error> {
    let mut seen = Seen::new();
    loop {
        match step(|| ask(&mut seen)) {
            Step::Done(answer) => return answer,
            Step::Load(key) => {
                let found = load(&key).await?;
                seen.loaded.push((key, found));
            }
        }
    }
}

/// Runs a decision to its end, and looks up the version of every record that it changes.
///
/// # Errors
/// The refusal, or the failure of `load`.
pub fn decide(decision: &mut Decision, mut load: impl FnMut(&Key) -> Result<Found, StoreError>) -> Result<Plan, Error> {
    let mut seen = Seen::new();
    let changes = loop {
        match step(|| decision(&seen)) {
            Step::Done(changes) => break changes?,
            Step::Load(key) => {
                let found = load(&key)?;
                seen.loaded.push((key, found));
            }
        }
    };
    for change in &changes {
        if let Some(key) = seen.unseen(change) {
            let found = load(&key)?;
            seen.loaded.push((key, found));
        }
    }
    Ok(Plan::settle(changes, &seen))
}

/// [`decide`] for stores whose loading waits.
///
/// # Errors
/// The refusal, or the failure of `load`.
pub async fn decide_async(
    decision: &mut Decision,
    mut load: impl AsyncFnMut(&Key) -> Result<Found, StoreError>,
) -> Result<Plan, Error> {
    let mut seen = Seen::new();
    let changes = loop {
        match step(|| decision(&seen)) {
            Step::Done(changes) => break changes?,
            Step::Load(key) => {
                let found = load(&key).await?;
                seen.loaded.push((key, found));
            }
        }
    };
    for change in &changes {
        if let Some(key) = seen.unseen(change) {
            let found = load(&key).await?;
            seen.loaded.push((key, found));
        }
    }
    Ok(Plan::settle(changes, &seen))
}

enum Step<T> {
    Done(Result<T, Error>),
    Load(Key),
}

fn step<T>(run: impl FnOnce() -> Result<T, Stop>) -> Step<T> {
    // Whatever state it leaves behind is thrown away with its transaction.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(answer)) => Step::Done(Ok(answer)),
        Ok(Err(Stop::Need(key))) => Step::Load(key),
        Ok(Err(Stop::Refuse(error))) => Step::Done(Err(error)),
        Err(_) => Step::Done(Err(StoreError::new(StoreErrorKind::Broken, Panicked).into())),
    }
}

/// A decision panicked.
#[derive(Debug, thiserror::Error)]
#[error("a decision panicked")]
struct Panicked;

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Refuse(error.into())
    }
}

impl From<Option<Versioned<Record>>> for Found {
    fn from(record: Option<Versioned<Record>>) -> Self {
        record.map_or(Self::None, Self::One)
    }
}

impl From<Vec<Versioned<Record>>> for Found {
    fn from(records: Vec<Versioned<Record>>) -> Self {
        Self::Many(records)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Need(_) => f.write_str("a record was not loaded yet"),
            Self::Refuse(error) => error.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        error::Kind,
        model::{Patient, PatientId},
        store::Seq,
    };

    const ID: PatientId = PatientId::FIRST;

    fn load(key: &Key) -> Result<Found, StoreError> {
        assert_eq!(*key, Key::Record(RecordKey::Patient(ID)));
        Ok(Found::One(Versioned { version: Seq::new(3), record: Patient::new(ID).into() }))
    }

    #[test]
    fn a_decision_runs_again_until_it_has_seen_enough() {
        let mut runs = 0;
        let version = drive(
            &mut |seen: &mut Seen| {
                runs += 1;
                Ok(seen.get::<Patient>(ID)?.map(|patient| patient.version))
            },
            load,
        );
        assert_eq!(version.unwrap(), Some(Seq::new(3)));
        assert_eq!(runs, 2);
    }

    #[test]
    fn what_is_taken_is_not_seen_any_more() {
        let taken = drive(
            &mut |seen: &mut Seen| {
                let taken = seen.take::<Patient>(ID)?;
                assert!(matches!(seen.get::<Patient>(ID), Err(Stop::Need(_))));
                Ok(taken)
            },
            load,
        );
        assert_eq!(taken.unwrap(), Some(Versioned { version: Seq::new(3), record: Patient::new(ID) }));
        let absent = drive(&mut |seen: &mut Seen| seen.take::<Patient>(ID), |_: &Key| Ok(Found::None));
        assert_eq!(absent.unwrap(), None);
    }

    #[test]
    fn a_refusal_and_a_panic_end_it() {
        let refused = drive(&mut |_: &mut Seen| Err::<(), _>(Error::NotFound(Kind::Patient).into()), load);
        assert!(matches!(refused, Err(Error::NotFound(Kind::Patient))));
        let panicked = drive(&mut |_: &mut Seen| -> Result<(), Stop> { panic!("planted") }, load);
        assert!(matches!(panicked, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Broken));
    }

    #[test]
    fn waiting_stores_run_the_same_loop() {
        let mut ask = |seen: &mut Seen| Ok(seen.get::<Patient>(ID)?.is_some());
        let answer = futures_executor::block_on(drive_async(&mut ask, async |key: &Key| load(key)));
        assert!(answer.unwrap());
    }
}
