//! A store that counts what is read from it, behind a server whose requests are polled step by step.

use std::{
    future::pending,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError},
    model::{
        Disease, LotId, LotText, MedicineName, MovementReason, Patch, PatientDetails, PatientId, StockDetails,
        UnitName, Units,
    },
    service::{CareService, ExpectedVersion, NewConsultation, NewMovement, NewPrescription, OpeningLot},
    store::{
        Entry, Journal, Key, Limit, Lookup, MemoryStore, Portion, Query, Question, Record, Records, Seen, Seq, Stop,
        Versioned,
    },
};

use crate::{Hooks, Wrap};

/// The records that a request reads without a slot.
pub const SHORT: usize = 128;
/// The records that a request reads before it lets others pass.
pub const QUANTUM: usize = 512;

/// A store that counts the records and entries that are read from it.
#[derive(Debug, Default)]
pub struct Metered {
    store: MemoryStore,
    read: AtomicUsize,
    holds: AtomicBool,
}

impl Metered {
    /// Returns a counting store in front of this one.
    pub fn new(store: MemoryStore) -> Arc<Wrap<Self>> {
        Arc::new(Wrap(Self { store, ..Self::default() }))
    }

    /// Lets the next search never end, so that its request keeps its slot.
    pub fn hold(&self) {
        self.holds.store(true, Ordering::Relaxed);
    }

    /// Polls a request this many times at most. Returns its answer, if it has one, and what it read in each poll.
    pub fn polled<T>(
        &self,
        mut request: Pin<Box<dyn Future<Output = T> + '_>>,
        times: usize,
    ) -> (Option<T>, Vec<usize>) {
        let mut read = Vec::new();
        self.read.store(0, Ordering::Relaxed);
        for _ in 0..times {
            let polled = request.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            read.push(self.read.swap(0, Ordering::Relaxed));
            if let Poll::Ready(answer) = polled {
                return (Some(answer), read);
            }
        }
        (None, read)
    }

    fn count(&self, records: usize) {
        self.read.fetch_add(records, Ordering::Relaxed);
    }
}

#[async_trait]
impl Hooks for Metered {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.store
    }

    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        let mut keys = Vec::<Key>::new();
        let mut loaded = 0;
        let mut counting = |seen: &mut Seen| {
            let found = keys.iter().map(|key| match seen.lookup(key) {
                Ok(Lookup::Many(records)) => records.len(),
                Ok(Lookup::None | Lookup::One(_) | Lookup::Number(_) | Lookup::TooMany) | Err(_) => 1,
            });
            loaded = found.sum();
            let asked = question(seen);
            if let Err(Stop::Need(further)) = &asked {
                keys.extend(further.iter().cloned());
            }
            asked
        };
        let read = self.store.read(&mut counting).await;
        self.count(loaded);
        read
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        if matches!(query, Query::Found(_)) && self.holds.swap(false, Ordering::Relaxed) {
            return pending().await;
        }
        let found = self.store.list(query, limit).await?;
        self.count(found.items.len());
        Ok(found)
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        let found = self.store.journal(after, limit).await?;
        self.count(found.items.len());
        Ok(found)
    }
}

/// The medicines of a [full] clinic that are tracked, each with 64 lots.
const TRACKED: usize = 40;
/// The visits of its first patient with 30 diseases, and those with one: together as many as a history takes.
const VISITS: [usize; 2] = [233, 3_010];

/// Fills a clinic with the fullest records that the rules allow, and with longer lists than a page has.
///
/// # Errors
/// The refusal of a use case.
pub async fn fill(care: &CareService) -> Result<(), Error> {
    let medicines = (1..=600).map(|number| MedicineName::new(format!("Medicine {number}")));
    let medicines = medicines.collect::<Result<Vec<_>, _>>().map_err(|broken| broken.at("medicine"))?;
    let units = Units::clamped(1000);
    for (number, medicine) in medicines.iter().enumerate() {
        care.add_item(medicine.clone(), Default::default()).await?;
        if number < TRACKED {
            // Some have expired, so that all lots must be read to know what is usable.
            let lots = (0..64_i64).map(|lot| {
                let expires = care.today()?.plus_days(20 * (lot - 2)).ok();
                let lot = LotText::new(format!("lot {lot}")).ok();
                Ok(OpeningLot { lot: LotId { lot, expires }, units })
            });
            let lots = lots.collect::<Result<_, Error>>()?;
            let unit = UnitName::new("tablets").map_err(|broken| broken.at("unit"))?;
            care.start_stock(medicine.key().clone(), unit, StockDetails::default(), lots).await?;
        }
    }
    for number in 1..=600 {
        let name = format!("Ada Example {number}");
        care.register_patient(PatientDetails::named(&*name).map_err(|broken| broken.at("name"))?).await?;
    }
    let first = PatientId::FIRST;
    let diseases = (1..=30).map(|number| Disease::new(format!("Disease {number}"))).collect::<Result<Vec<_>, _>>();
    let diseases = diseases.map_err(|broken| broken.at("disease"))?;
    for visit in 0..VISITS.iter().sum() {
        let diseases = if visit < VISITS[0] { diseases.as_slice() } else { &diseases[..1] };
        care.record_consultation(NewConsultation::of(first).diagnosing(diseases.iter().cloned())).await?;
    }
    // Versions of one record, and entries of the journal.
    for age in 0..100 {
        let age = Patch::Set((age % 100).try_into().map_err(|_| Error::field("age", "must fit"))?);
        let details = PatientDetails { age, ..PatientDetails::default() };
        care.update_patient(first, details, ExpectedVersion::Any).await?;
    }
    for (number, medicine) in medicines.iter().enumerate() {
        let patient = i64::try_from(number).unwrap_or_default() / 20 + 1;
        let patient = patient.try_into().map_err(|_| Error::field("patientId", "must fit"))?;
        let made = care.prescribe(patient, NewPrescription::of(medicine.clone())).await?;
        let issued = care.issue_invoice(made.prescription.prescription_id).await?;
        if number % 2 == 0 {
            care.pay_invoice(issued.invoice.invoice_id).await?;
        }
    }
    for medicine in medicines.iter().take(1) {
        for _ in 0..600 {
            let lot = LotId { lot: LotText::new("lot 40").ok(), expires: care.today()?.plus_days(760).ok() };
            let moved = NewMovement::removal(lot, Units::clamped(1), MovementReason::Damaged);
            care.move_stock(medicine.key().clone(), moved).await?;
        }
    }
    Ok(())
}
