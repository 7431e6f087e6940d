//! The use cases: [`CareService`], with one file for each noun.

pub(crate) mod base;
mod consultations;
mod effects;
mod erasure;
mod inventory;
mod money;
mod movements;
mod past;
mod patients;
mod prescriptions;
mod reports;
mod stock;
mod together;

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use serde::{Serialize, de::DeserializeOwned};
use tracing::{Instrument as _, field};

pub use base::{
    facility::{Clock, Facility, SystemClock},
    idempotency::Idempotency,
    live::{LiveItem, LivePrescription, LiveStock},
    page::{Page, PageElement},
    waiting::Waiting,
};
pub use consultations::{NewConsultation, NewPrescription};
pub use erasure::ErasureReport;
pub use money::{
    invoices::IssuedInvoice,
    receipts::NewCorrection,
    refunds::NewRefund,
    takings::{
        CurrencyMethod, CurrencyTotal, DayTakings, ReceiptRange, TakingsDays, TakingsPeriod, TakingsQuery, TakingsSums,
    },
};
pub use movements::NewMovement;
pub use past::{feed::Subscription, versions::Past};
pub use patients::PatientNumbers;
pub use reports::{
    backtests::{BacktestPeriod, BacktestQuery, TriedSettings},
    desk::{CurrencyAmount, DayPart, DayQuery, Sums},
    restock::{Recommendation, RestockItem, RestockPeriod, RestockQuery, RestockReport},
};
pub use stock::{NewMedicine, OpeningLot, OpeningStock};

use crate::{
    error::{Error, StoreError, StoreErrorKind},
    meter::{self, Work},
    model::{Date, KeyName, Timestamp},
    operation::{JournalOperation, Operation},
    store::{
        Act, Ask, CareStore, Change, CommitNotifier, Entity, Epoch, Feed, Outcome, Record, RecordKey, ReplyId, Seen,
        Seq, Stop, Versioned,
    },
};
use base::{
    answer::{UseCaseAnswer, WriteAnswer},
    draft::Draft,
    figures::Figures,
    handle::{Asked, StoreHandle},
    live::{SHELVES_TOGETHER, TOGETHER},
    pieces::AnswerCache,
};

/// The Patient Care Service: patients, consultations, prescriptions, inventory, invoices and history.
///
/// A cheap handle on a store, a clock and the facility's settings; clone it freely.
///
/// Reads are named by nouns ([`patient`](Self::patient)), use cases by verbs
/// ([`register_patient`](Self::register_patient)). Every use case happens in one transaction of the store: as a whole
/// or not at all, also in races and when its future is dropped.
#[derive(Clone)]
pub struct CareService {
    store: StoreHandle,
    clock: Arc<dyn Clock>,
    facility: Arc<Facility>,
    actor: Arc<str>,
    once: Option<Arc<Idempotency>>,
    /// Whether a write without a change records that its answer was read.
    notes_reads: bool,
    until: Option<Instant>,
    feed: Arc<Feed>,
    /// The epoch of the store, and the time at which the service met it.
    met: Arc<Mutex<(Epoch, Timestamp)>>,
    figures: Figures,
    /// The medicines to order, shared by all handles for a short time.
    orders: Arc<AnswerCache<Waiting<RestockItem>>>,
}

/// The operation of a write, and its idempotency key bound to the arguments.
type WriteRequest = (Operation, Option<Idempotency>);

/// The version of a record that a caller expects to change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub enum ExpectedVersion {
    /// Any version.
    #[default]
    Any,
    /// One of these versions; any other is [`Error::Stale`]. An empty list matches none.
    OneOf(Vec<Seq>),
}

impl CareService {
    /// Returns the service on this store, with the system's clock and a facility without a name and an address, in UTC.
    pub fn new(store: impl CareStore + 'static) -> Self {
        let feed = Arc::default();
        store.add_notifier(CommitNotifier::to(&feed));
        let met = Arc::new(Mutex::new((store.epoch(), SystemClock.now())));
        Self {
            store: StoreHandle::new(store),
            clock: Arc::new(SystemClock),
            facility: Arc::default(),
            actor: Arc::from(KeyName::SERVICE),
            once: None,
            notes_reads: false,
            until: None,
            feed,
            met,
            figures: Figures::new(),
            orders: Arc::default(),
        }
    }

    /// Sets the clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Sets the facility.
    #[must_use]
    pub fn with_facility(self, facility: Facility) -> Self {
        Self { facility: Arc::new(facility), ..self }
    }

    /// Returns the facility.
    pub fn facility(&self) -> &Facility {
        &self.facility
    }

    /// Returns a service on another store with the same clock, facility and actor.
    #[must_use]
    pub fn on(&self, store: impl CareStore + 'static) -> Self {
        let (clock, facility, actor) = (Arc::clone(&self.clock), Arc::clone(&self.facility), Arc::clone(&self.actor));
        Self { clock, facility, actor, ..Self::new(store) }
    }

    /// Returns the service with this actor, whom the journal records with every change.
    ///
    /// The name follows the rule of [`KeyName::check`](crate::model::KeyName::check), 1 to 64 characters in one line.
    /// Every write under another name is refused as [`Error::Invalid`] at `actor`.
    #[must_use]
    pub fn acting_as(&self, actor: impl Into<Arc<str>>) -> Self {
        Self { actor: actor.into(), ..self.clone() }
    }

    /// Returns a service that does the next request once under this key within a day. A repetition, which is the same
    /// use case with the same arguments, gets the first answer and changes nothing; any other request under the key is
    /// refused.
    #[must_use]
    pub fn once(&self, idempotency: Idempotency) -> Self {
        Self { once: Some(Arc::new(idempotency)), ..self.clone() }
    }

    /// Returns a service that records in the journal the records that its answers show without a change: an update of
    /// nothing, a repeated payment, an invoice issued again, a repetition under an [`Idempotency`] key.
    #[must_use]
    pub fn with_noted_reads(self) -> Self {
        Self { notes_reads: true, ..self }
    }

    /// Sets the instant until which the caller waits. A change that is not decided by then is refused as
    /// [`Busy`](StoreErrorKind::Busy), and not made.
    #[must_use]
    pub fn until(self, until: impl Into<Option<Instant>>) -> Self {
        Self { until: until.into(), ..self }
    }

    /// Returns the store, for its journal and for tools.
    pub fn store(&self) -> &dyn CareStore {
        &self.store
    }

    /// Returns the epoch of the store, which distinguishes its past from any other.
    pub fn epoch(&self) -> Epoch {
        self.store.epoch()
    }

    /// Returns the time since which the service knows the present epoch: the epoch was not made later.
    pub fn epoch_since(&self) -> Timestamp {
        let epoch = self.epoch();
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        if met.0 != epoch {
            *met = (epoch, self.now());
        }
        met.1
    }

    /// Returns the time of the service's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns today's day by the clock and the facility's offset.
    ///
    /// # Errors
    /// [`Error::Store`] when the clock shows a day beyond the years 1900 to 9999.
    pub fn today(&self) -> Result<Date, Error> {
        let today = self.clock.now().date(self.facility.utc_offset);
        today.map_err(|invalid| StoreError::new(StoreErrorKind::Broken, invalid).into())
    }

    /// Answers a question from one snapshot of the store. The question runs again until all records that it asks for
    /// were read.
    ///
    /// # Errors
    /// The question's refusals, and the store's failures.
    pub async fn ask<T: Send>(
        &self,
        mut question: impl FnMut(&mut Seen) -> Result<T, Stop> + Send,
    ) -> Result<T, Error> {
        let mut answer = None;
        let mut ask = |seen: &mut Seen| {
            answer = Some(question(seen)?);
            Ok(())
        };
        self.store.read(&mut ask).await?;
        answer.ok_or_else(|| Error::Store(StoreErrorKind::Broken.into()))
    }

    /// Answers a question about each of these items, in parts small enough that no snapshot loads more than a quantum.
    async fn ask_in_parts<I: Sync, T: Send>(
        &self,
        items: &[I],
        mut question: impl FnMut(&mut Seen, &[I]) -> Result<Vec<T>, Stop> + Send,
    ) -> Result<Vec<T>, Error> {
        let mut answers = Vec::with_capacity(items.len());
        let mut left = items;
        let mut together = TOGETHER;
        while !left.is_empty() {
            if left.len() < items.len() {
                meter::pass().await;
            }
            let (some, others) = left.split_at(left.len().min(together));
            let mut found = Vec::new();
            let mut ask = |seen: &mut Seen| {
                found = question(seen, some)?;
                Ok(())
            };
            let asked = match some.len() > SHELVES_TOGETHER {
                true => self.store.read_within_quantum(&mut ask).await?,
                false => self.store.read(&mut ask).await.map(|()| Asked::Answered)?,
            };
            match asked {
                Asked::Answered => {
                    answers.append(&mut found);
                    left = others;
                }
                Asked::TooMuch => together = SHELVES_TOGETHER,
            }
        }
        Ok(answers)
    }

    /// Returns the stored record with this identity, which must exist.
    async fn stored<E: Entity + Send>(&self, id: E::Id) -> Result<Versioned<E>, Error> {
        self.ask(|seen| Ok(seen.take::<E>(id.clone())?.ok_or(Error::NotFound(E::KIND))?)).await
    }

    /// Returns a request with these arguments, which distinguish it from others under the same [`Idempotency`].
    fn request(&self, operation: Operation, arguments: impl Serialize) -> Result<WriteRequest, Error> {
        let once = self.once.as_ref().map(|once| once.bound_to(operation.id(), arguments)).transpose()?;
        Ok((operation, once))
    }

    /// Changes a record in one transaction under the operation's name, and returns it with its version. The decision
    /// may run several times.
    async fn write<T: UseCaseAnswer + Serialize + DeserializeOwned + Send + 'static>(
        &self,
        request: WriteRequest,
        decision: impl FnMut(&mut Draft<'_>) -> Result<WriteAnswer<T>, Stop> + Send + 'static,
    ) -> Result<Versioned<T>, Error> {
        let (written, entry) = self.transact(request, decision).await?;
        Ok(written.versioned(entry))
    }

    /// Removes a record in one transaction under the operation's name. The decision may run several times.
    async fn remove_record(
        &self,
        request: WriteRequest,
        decision: impl FnMut(&mut Draft<'_>) -> Result<(), Stop> + Send + 'static,
    ) -> Result<(), Error> {
        self.transact(request, decision).await.map(|((), _)| ())
    }

    /// Returns the beginning of an entry: its actor, its operation and its time.
    fn act(&self, operation: JournalOperation) -> Act {
        Act { actor: Arc::clone(&self.actor), operation, at: self.clock.now(), until: self.until }
    }

    /// Refuses an actor whose name does not follow the rule.
    fn check_actor(&self) -> Result<(), Error> {
        KeyName::check(&self.actor).map_err(|broken| broken.at("actor"))
    }

    /// Runs a decision, and returns its answer and the number of the entry with its changes: [`Seq::ZERO`] without
    /// changes. A use case refuses in its decision alone, also what needs no record: so use cases in one commit are all
    /// refused with it, and a repetition is answered as the first time.
    async fn transact<T: UseCaseAnswer + Serialize + DeserializeOwned + Send + 'static>(
        &self,
        (operation, once): WriteRequest,
        mut decision: impl FnMut(&mut Draft<'_>) -> Result<T, Stop> + Send + 'static,
    ) -> Result<(T, Seq), Error> {
        // The store may run the decision on another thread, so the answer is shared with it.
        let answer = Arc::new(Mutex::new(None));
        let answer_slot = Arc::clone(&answer);
        let act = self.act(operation.into());
        let checked = self.check_actor();
        let (actor, now, notes_reads) = (Arc::clone(&self.actor), act.at, self.notes_reads);
        let reply = once.as_ref().map(|_| ReplyId::random());
        let run = move |seen: &Seen| {
            checked.clone()?;
            let mut draft = Draft::new(seen);
            let answer = match once.as_ref().zip(reply.as_ref()) {
                Some((once, reply)) => once.run(&mut draft, reply, &actor, now, &mut decision)?,
                None => (decision(&mut draft)?, Seq::ZERO),
            };
            let changes = draft.into_changes();
            let notes_read = notes_reads && changes.iter().all(is_of_a_reply);
            let reads = answer.0.read().filter(|_| notes_read).into_iter().collect();
            *answer_slot.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((answer, kinds_of(&changes), seen.found()));
            Ok(Outcome { changes, reads, erased: None })
        };
        let unannounced = self.feed.write_begins();
        let span = tracing::debug_span!("use_case", operation = act.operation.name(), seq = field::Empty);
        let written = self.store.transact(act, Box::new(run)).instrument(span.clone()).await;
        if let Ok(Some(seq)) = &written {
            span.record("seq", seq.value());
        }
        self.figures.decided(&written);
        let written = written?;
        let answer = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let ((answer, earlier), kinds, loaded) = answer.ok_or_else(|| Error::Store(StoreErrorKind::Broken.into()))?;
        meter::count(Work::records(loaded));
        match written {
            Some(seq) => unannounced.announce(seq, kinds),
            None => drop(unannounced),
        }
        Ok((answer, if earlier == Seq::ZERO { written.unwrap_or_default() } else { earlier }))
    }
}

/// Returns the kinds of records that are changed, each once.
fn kinds_of(changes: &[Change]) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    for change in changes {
        let kind = change.kind();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// Returns whether a change is only the service's bookkeeping for repetitions, so that its entry is about no record.
const fn is_of_a_reply(change: &Change) -> bool {
    matches!(change, Change::Put(Record::Reply(_)) | Change::Remove(RecordKey::Reply(_)))
}

/// Expects this version and no other.
impl From<Seq> for ExpectedVersion {
    fn from(version: Seq) -> Self {
        Self::OneOf(vec![version])
    }
}

impl ExpectedVersion {
    /// Returns the stored record with this identity, which must exist in an expected version.
    fn stored<E: Entity>(&self, draft: &Draft<'_>, id: E::Id) -> Result<Versioned<E>, Stop> {
        Ok(self.found(draft.stored::<E>(Ask::record(id))?)?)
    }

    /// Returns a record that was looked for, which must exist in an expected version.
    fn found<E: Entity>(&self, found: Option<Versioned<E>>) -> Result<Versioned<E>, Error> {
        let found = found.ok_or(Error::NotFound(E::KIND))?;
        match self {
            Self::Any => Ok(found),
            Self::OneOf(versions) if versions.contains(&found.version) => Ok(found),
            Self::OneOf(_) => Err(Error::Stale(E::KIND)),
        }
    }
}

impl fmt::Debug for CareService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CareService")
            .field("facility", &self.facility)
            .field("actor", &self.actor)
            .finish_non_exhaustive()
    }
}
