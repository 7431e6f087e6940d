//! The handle through which everything uses the store.

use std::{fmt, sync::Arc};

use async_trait::async_trait;

use crate::{
    error::{Error, StoreError},
    kinds::RecordKind,
    meter::{self, Work},
    model::{History, PatientId, Shelf, Timestamp},
    store::{
        Act, CareStore, CommitNotifier, Datum, Decision, Entry, Epoch, Head, Journal, Key, Limit, Maintenance, Portion,
        Query, Question, Record, RecordKey, Records, ReplayError, Seen, Selection, Seq, Stop, Term, Versioned, Wanted,
    },
};

/// The only owner of the store. Use cases, the facades of a server and hosts read through it, so all that is loaded for
/// a request is counted, and a long read waits where others go first ([`meter`]).
///
/// It waits before a read alone: never while a snapshot is open, and never inside a decision.
#[derive(Clone)]
pub(crate) struct StoreHandle(Arc<dyn CareStore>);

/// The outcome of a question that may be split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// It was answered.
    Answered,
    /// It would load more than a quantum from one snapshot. Ask about fewer records.
    TooMuch,
}

impl StoreHandle {
    pub(crate) fn new(store: impl CareStore + 'static) -> Self {
        Self(Arc::new(store))
    }

    /// Runs a question like [`Records::read`].
    pub(crate) async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        self.ask(question, false).await.map(drop)
    }

    /// Runs a question that can be asked about fewer records, unless it would load more than a quantum.
    pub(crate) async fn read_within_quantum(&self, question: &mut Question<'_>) -> Result<Asked, Error> {
        self.ask(question, true).await
    }

    /// Runs a question, again from its beginning if it turns out to load more than may be loaded now.
    async fn ask(&self, question: &mut Question<'_>, can_split: bool) -> Result<Asked, Error> {
        meter::before(Work::records(1)).await;
        loop {
            let mut keys_asked = 0;
            let mut loaded = 0;
            let mut interrupted = None;
            let mut metered = |seen: &mut Seen| {
                let asked = question(seen);
                loaded = seen.found().max(keys_asked);
                if let Err(Stop::Need(keys)) = &asked {
                    let further = keys.iter().fold(loaded, |sum: usize, key| sum.saturating_add(most(key, seen)));
                    if can_split && further > Work::QUANTUM.records {
                        interrupted = Some(Asked::TooMuch);
                    } else if meter::is_due(Work::records(further)) {
                        interrupted = Some(Asked::Answered);
                    }
                    if interrupted.is_some() {
                        // It only ends the snapshot: any refusal that is no failure of the store.
                        return Err(Error::NotFound(RecordKind::Patient).into());
                    }
                    keys_asked += keys.len();
                }
                asked
            };
            let read = self.0.read(&mut metered).await;
            meter::count(Work::records(loaded));
            match interrupted {
                None => return read.map(|()| Asked::Answered),
                Some(Asked::TooMuch) => return Ok(Asked::TooMuch),
                Some(Asked::Answered) => meter::before(Work::LONG).await,
            }
        }
    }

    /// Lists records like [`Records::list`].
    pub(crate) async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        let expected = match query {
            // A search looks at many more candidates than it finds.
            Query::Found(_) => Work::LONG,
            Query::Rows(_)
            | Query::Named(..)
            | Query::DemandOf { .. }
            | Query::StockDays { .. }
            | Query::All { .. } => of(limit),
        };
        meter::before(expected).await;
        let found = self.0.list(query, limit).await?;
        meter::count(Work::records(found.items.len().max(1)));
        Ok(found)
    }

    /// Reads entries like [`Journal::journal`].
    pub(crate) async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        meter::before(of(limit)).await;
        let found = self.0.journal(after, limit).await?;
        meter::count(Work::records(found.items.len().max(1)));
        Ok(found)
    }

    pub(crate) async fn instants(&self, entries: &[Seq]) -> Result<Vec<Timestamp>, StoreError> {
        let work = Work::records(entries.len());
        meter::before(work).await;
        meter::count(work);
        self.0.instants(entries).await
    }

    pub(crate) async fn skip_pointer(&self, record: &RecordKey, at: Seq) -> Result<Option<Seq>, StoreError> {
        meter::before(Work::records(1)).await;
        meter::count(Work::records(1));
        self.0.skip_pointer(record, at).await
    }

    /// Runs a decision like [`Journal::transact`]. It counts what was loaded for the decision, and does not wait: its
    /// caller reads on only after the commit.
    pub(crate) async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        self.0.transact(act, decision).await
    }

    pub(crate) async fn last(&self) -> Result<Seq, StoreError> {
        meter::count(Work::records(1));
        self.0.last().await
    }

    pub(crate) async fn head(&self) -> Result<Head, StoreError> {
        meter::count(Work::records(1));
        self.0.head().await
    }

    pub(crate) async fn ready(&self) -> Result<(), StoreError> {
        self.0.ready().await
    }

    pub(crate) fn epoch(&self) -> Epoch {
        self.0.epoch()
    }

    pub(crate) fn maintenance(&self) -> Option<&dyn Maintenance> {
        self.0.maintenance()
    }
}

/// Returns the most work of a read with this limit. Where it has no bound in bytes, its records are known to be short.
const fn of(limit: Limit) -> Work {
    let bytes = if limit.bytes == usize::MAX { 0 } else { limit.bytes };
    Work { records: limit.items, bytes }
}

/// Returns the most records that a key may find, as far as it is known before it is loaded.
fn most(key: &Key, seen: &Seen) -> usize {
    match key {
        Key::Record(_) | Key::StockOrItem(_) | Key::FreePatientNumber(_) | Key::Rows(_, Wanted::Count) => 1,
        Key::Rows(_, Wanted::First(most)) => *most,
        Key::Rows(rows, Wanted::All) => most_of(rows, seen),
    }
}

fn most_of(rows: &Selection, seen: &Seen) -> usize {
    if rows.kind == RecordKind::OpenLot {
        return Shelf::MAX_LOTS;
    }
    // The history of a patient, which is asked for first, knows the number of diseases.
    let patient = rows.terms.iter().find_map(|term| match term {
        Term::Compared(_, _, Datum::Number(id)) if rows.kind == RecordKind::Diagnosis => PatientId::try_from(*id).ok(),
        _ => None,
    });
    let history = patient.and_then(|id| seen.get::<History>(id).ok().flatten());
    history.map_or(usize::MAX, |history| usize::try_from(history.diseases).unwrap_or(usize::MAX))
}

#[async_trait]
impl Records for StoreHandle {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        self.read(question).await
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.list(query, limit).await
    }
}

#[async_trait]
impl Journal for StoreHandle {
    fn epoch(&self) -> Epoch {
        self.epoch()
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        self.transact(act, decision).await
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        self.0.replay(entries).await
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.journal(after, limit).await
    }

    async fn instants(&self, entries: &[Seq]) -> Result<Vec<Timestamp>, StoreError> {
        self.instants(entries).await
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        self.last().await
    }

    async fn head(&self) -> Result<Head, StoreError> {
        self.head().await
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.ready().await
    }

    async fn skip_pointer(&self, record: &RecordKey, at: Seq) -> Result<Option<Seq>, StoreError> {
        self.skip_pointer(record, at).await
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        self.0.add_notifier(notifier);
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        self.maintenance()
    }
}

impl fmt::Debug for StoreHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreHandle").field("epoch", &self.epoch()).finish_non_exhaustive()
    }
}
