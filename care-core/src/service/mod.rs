//! The use cases: [`CareService`], one impl block a file, one file a noun.

mod availability;
mod backtests;
mod booking;
mod consultations;
mod draft;
mod erasure;
mod facility;
mod feed;
mod figures;
mod history;
mod idempotency;
mod inventory;
mod invoices;
mod movements;
mod page;
mod patients;
mod prescriptions;
mod reads;
mod restock;
mod stock;
mod supply;
mod usage;
mod versions;
mod written;

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use serde::{Serialize, de::DeserializeOwned};

pub use backtests::BacktestPeriod;
pub use consultations::{NewConsultation, NewPrescription};
pub use erasure::Erasure;
pub use facility::{Clock, Facility, SystemClock};
pub use feed::Subscription;
pub use idempotency::Idempotency;
pub use inventory::LiveItem;
pub use invoices::IssuedInvoice;
pub use movements::NewMovement;
pub use page::Page;
pub use patients::registration;
pub use prescriptions::LivePrescription;
pub use restock::{Recommendation, RestockItem, RestockPeriod, RestockReport};
pub use stock::{LiveStock, Opening};
pub use supply::SupplyDetails;
pub use versions::Past;

use crate::{
    error::{Error, Kind, StoreErrorKind},
    model::{Date, Timestamp},
    store::{Act, Announcer, CareStore, Change, Epoch, Feed, Outcome, Record, RecordKey, Seen, Seq, Stop, Versioned},
};
use draft::Draft;
use figures::Figures;
use written::{Answered, Written};

/// The Patient Care Service: patients, consultations, prescriptions, inventory, invoices and history.
///
/// A cheap handle on a store, a clock and the facility's settings; clone it freely.
///
/// Reads are named by nouns ([`patient`](Self::patient)), use cases by verbs
/// ([`register_patient`](Self::register_patient)). Every use case happens in one transaction of the store: whole or
/// not at all, however often it is raced or its future dropped.
#[derive(Clone)]
pub struct CareService {
    store: Arc<dyn CareStore>,
    clock: Arc<dyn Clock>,
    facility: Arc<Facility>,
    actor: Arc<str>,
    once: Option<Arc<Idempotency>>,
    /// Whether a write that changes nothing notes that its answer was read.
    notes_reads: bool,
    until: Option<Instant>,
    feed: Arc<Feed>,
    /// Whether other processes' entries are looked for, since the store does not announce them.
    looks: bool,
    figures: Figures,
}

/// What is asked of a use case that writes.
struct Request {
    /// The operation's identifier in the OpenAPI document.
    operation: &'static str,
    once: Option<Idempotency>,
}

/// Which version of a record a caller expects to change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub enum ExpectedVersion {
    /// Whichever is there.
    #[default]
    Any,
    /// One of these; any other is [`Error::Stale`]. An empty list matches nothing.
    OneOf(Vec<Seq>),
}

impl CareService {
    /// The service on this store, with the system's clock and a facility without an address, in UTC.
    pub fn new(store: impl CareStore + 'static) -> Self {
        let feed = Arc::default();
        let looks = !store.announce_to(Announcer::to(&feed));
        Self {
            store: Arc::new(store),
            clock: Arc::new(SystemClock),
            facility: Arc::default(),
            actor: Arc::from("service"),
            once: None,
            notes_reads: false,
            until: None,
            feed,
            looks,
            figures: Figures::new(),
        }
    }

    /// With another clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// With the facility's settings.
    #[must_use]
    pub fn with_facility(self, facility: Facility) -> Self {
        Self { facility: Arc::new(facility), ..self }
    }

    /// The same service on another store: with its clock, facility and actor.
    #[must_use]
    pub fn on(&self, store: impl CareStore + 'static) -> Self {
        let (clock, facility, actor) = (Arc::clone(&self.clock), Arc::clone(&self.facility), Arc::clone(&self.actor));
        Self { clock, facility, actor, ..Self::new(store) }
    }

    /// The same service, acting in this name: the journal records it with every change.
    ///
    /// The name should keep the rule of [`KeyName::check`](crate::model::KeyName::check), 1 to 64 characters in one line:
    /// an entry with another one is no sound one for [`audit::verify`](crate::audit::verify), and is not imported.
    #[must_use]
    pub fn acting_as(&self, actor: impl Into<Arc<str>>) -> Self {
        Self { actor: actor.into(), ..self.clone() }
    }

    /// The same service, doing once what is asked under this key within a day: a repetition, the same use case with the
    /// same arguments, is answered as the first time and changes nothing, and any other is refused.
    #[must_use]
    pub fn once(&self, idempotency: Idempotency) -> Self {
        Self { once: Some(Arc::new(idempotency)), ..self.clone() }
    }

    /// The same service, noting in the journal whose record a use case has answered with when it changed nothing of
    /// it: an update of nothing, a payment repeated, an invoice issued again, a repetition under an [`Idempotency`] key.
    #[must_use]
    pub fn noting_reads(self) -> Self {
        Self { notes_reads: true, ..self }
    }

    /// The same service, whose caller waits until then: a change that was not decided by then is not made, and is
    /// refused as [`Busy`](StoreErrorKind::Busy).
    #[must_use]
    pub fn until(self, until: impl Into<Option<Instant>>) -> Self {
        Self { until: until.into(), ..self }
    }

    /// The store beneath, for its journal and for tools.
    pub fn store(&self) -> &dyn CareStore {
        self.store.as_ref()
    }

    /// What tells the past of this store from any other.
    pub fn epoch(&self) -> Epoch {
        self.store.epoch()
    }

    /// The time now, as the service's clock has it.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Today, as the facility's clock and offset have it.
    ///
    /// # Errors
    /// [`Error::Store`] when the clock shows a day beyond the years 1900 to 9999.
    pub fn today(&self) -> Result<Date, Error> {
        let today = self.clock.now().date(self.facility.utc_offset);
        today.map_err(|invalid| crate::error::StoreError::new(StoreErrorKind::Broken, invalid).into())
    }

    /// Reads in one snapshot.
    async fn ask<T: Send>(&self, mut question: impl FnMut(&mut Seen) -> Result<T, Stop> + Send) -> Result<T, Error> {
        let mut answer = None;
        let mut ask = |seen: &mut Seen| {
            answer = Some(question(seen)?);
            Ok(())
        };
        self.store.read(&mut ask).await?;
        answer.ok_or_else(|| Error::Store(StoreErrorKind::Broken.into()))
    }

    /// A use case with these arguments, which tell it from another one under the same [`Idempotency`].
    fn request(&self, operation: &'static str, arguments: impl Serialize) -> Result<Request, Error> {
        let once = self.once.as_ref().map(|once| once.bound_to(operation, arguments)).transpose()?;
        Ok(Request { operation, once })
    }

    /// Changes a record in one transaction, under the operation's name, and answers with it and its version. The
    /// decision may run several times.
    async fn write<T: Answered + Serialize + DeserializeOwned + Send + 'static>(
        &self,
        request: Request,
        decision: impl FnMut(&mut Draft<'_>) -> Result<Written<T>, Stop> + Send + 'static,
    ) -> Result<Versioned<T>, Error> {
        let (written, entry) = self.transact(request, decision).await?;
        Ok(written.versioned(entry))
    }

    /// Takes a record away in one transaction, under the operation's name. The decision may run several times.
    async fn take_away(
        &self,
        request: Request,
        decision: impl FnMut(&mut Draft<'_>) -> Result<(), Stop> + Send + 'static,
    ) -> Result<(), Error> {
        self.transact(request, decision).await.map(|((), _)| ())
    }

    /// Runs a decision and answers with what it said and with the number of the entry that holds what it did:
    /// [`Seq::ZERO`] when it changed nothing.
    async fn transact<T: Answered + Serialize + DeserializeOwned + Send + 'static>(
        &self,
        Request { operation, once }: Request,
        mut decision: impl FnMut(&mut Draft<'_>) -> Result<T, Stop> + Send + 'static,
    ) -> Result<(T, Seq), Error> {
        // The store may run the decision on another thread, so the answer is left where both sides find it.
        let answer = Arc::new(Mutex::new(None));
        let left = Arc::clone(&answer);
        let act = Act { actor: Arc::clone(&self.actor), operation, at: self.clock.now(), until: self.until };
        let (actor, now, notes_reads) = (Arc::clone(&self.actor), act.at, self.notes_reads);
        let run = move |seen: &Seen| {
            let mut draft = Draft::new(seen);
            let answer = match &once {
                Some(once) => once.run(&mut draft, &actor, now, &mut decision)?,
                None => (decision(&mut draft)?, Seq::ZERO),
            };
            let changes = draft.into_changes();
            let notes_read = notes_reads && changes.iter().all(is_of_a_reply);
            let reads = answer.0.read().filter(|_| notes_read).into_iter().collect();
            *left.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            Ok(Outcome { changes, reads })
        };
        let written = self.store.transact(act, Box::new(run)).await;
        self.figures.decided(&written);
        let written = written?;
        if let Some(seq) = written {
            self.feed.announce(seq);
        }
        let answer = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (answer, earlier) = answer.ok_or_else(|| Error::Store(StoreErrorKind::Broken.into()))?;
        Ok((answer, if earlier == Seq::ZERO { written.unwrap_or_default() } else { earlier }))
    }
}

/// Whether a change is of what the service keeps for repetitions alone, so that its entry says nothing of any record.
const fn is_of_a_reply(change: &Change) -> bool {
    matches!(change, Change::Put(Record::Reply(_)) | Change::Remove(RecordKey::Reply(_)))
}

impl ExpectedVersion {
    /// Refuses a record whose version is not among the expected ones.
    fn check<T>(&self, kind: Kind, found: &Versioned<T>) -> Result<(), Error> {
        match self {
            Self::Any => Ok(()),
            Self::OneOf(versions) if versions.contains(&found.version) => Ok(()),
            Self::OneOf(_) => Err(Error::Stale(kind)),
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
