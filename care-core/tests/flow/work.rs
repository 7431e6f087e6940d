//! The cost of a decision: the number of its runs, and the number of keys that it asks for. Nothing is timed.

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use care_core::{
    error::{Conflict, Error, StoreError},
    model::{
        InvoiceId, ItemDetails, LotId, MedicineName, Patch, Patient, PatientDetails, PatientId, PrescriptionId,
        StockDetails, UnitName,
    },
    service::{CareService, ExpectedVersion, Idempotency, NewConsultation, OpeningLot},
    store::{Act, Decision, Entry, Journal, Limit, MemoryStore, Portion, Question, Records, Seen, Seq, Stop},
};
use care_testkit::{Hooks, Wrap};
use futures_executor::block_on;

use crate::clinic::{Clinic, is_conflict, new, regular};

/// The work until now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Work {
    runs: usize,
    keys: usize,
    /// The reads of the journal.
    journal: usize,
}

/// A memory store that counts its work.
#[derive(Debug, Default, Clone)]
struct Counting {
    store: Arc<MemoryStore>,
    work: Arc<Mutex<Work>>,
}

impl Counting {
    fn clinic(&self) -> Clinic {
        Clinic::on(Wrap(self.clone()))
    }

    /// Returns the work of a call.
    fn of<T>(&self, run: impl FnOnce() -> T) -> Work {
        *self.work() = Work::default();
        run();
        *self.work()
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap()
    }

    fn note<T>(&self, run: Result<T, Stop>) -> Result<T, Stop> {
        let mut work = self.work();
        work.runs += 1;
        if let Err(Stop::Need(keys)) = &run {
            work.keys += keys.len();
        }
        run
    }
}

#[async_trait]
impl Hooks for Counting {
    type Store = Arc<MemoryStore>;

    fn store(&self) -> &Self::Store {
        &self.store
    }

    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        let mut counted = |seen: &mut Seen| self.note(question(seen));
        self.store.read(&mut counted).await
    }

    async fn transact(&self, act: Act, mut decision: Decision) -> Result<Option<Seq>, Error> {
        let counting = self.clone();
        self.store.transact(act, Box::new(move |seen: &Seen| counting.note(decision(seen)))).await
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.work().journal += 1;
        self.store.journal(after, limit).await
    }
}

/// Returns a consultation with this number of recurring prescriptions of medicines with a common prefix.
fn consultation(patient_id: PatientId, from: usize, count: usize) -> NewConsultation {
    let prescriptions = (from..from + count).map(|number| new(&format!("Medicine {number}"), regular()));
    NewConsultation::of(patient_id).prescribing(prescriptions)
}

fn record(care: &CareService, new: NewConsultation) {
    block_on(care.record_consultation(new)).unwrap();
}

#[test]
fn a_version_is_found_at_once_by_its_own_number_however_many_came_later() {
    let counting = Counting::default();
    let clinic = counting.clinic();
    let patient = clinic.patient();
    for age in (0..100).cycle().take(300) {
        let details = PatientDetails { age: Patch::Set(age.try_into().unwrap()), ..PatientDetails::default() };
        block_on(clinic.care.update_patient(patient, details, ExpectedVersion::Any)).unwrap();
    }
    let as_of = |seq| block_on(clinic.care.as_of::<Patient>(patient, Seq::new(seq))).unwrap().unwrap();
    assert_eq!(as_of(11).found.record.age.map(|age| age.value()), Some(9));
    assert!(counting.of(|| as_of(11)).journal <= 2);
}

#[test]
fn a_consultation_runs_as_often_with_thirty_prescriptions_as_with_one() {
    let store = Counting::default();
    let clinic = store.clinic();
    let cost = |count| {
        let patient = clinic.patient();
        store.of(|| record(&clinic.care, consultation(patient, 0, count)))
    };
    let (one, thirty) = (cost(1), cost(30));
    assert_eq!(one.runs, 2);
    assert_eq!(thirty.runs, one.runs);
    assert!(thirty.keys <= 30 * one.keys, "{thirty:?} against {one:?}");
    // The cost is the same under an idempotency key.
    let once = clinic.care.once(Idempotency::new("thirty").unwrap());
    let patient = clinic.patient();
    assert_eq!(store.of(|| record(&once, consultation(patient, 0, 30))).runs, 3);
}

#[test]
fn voiding_runs_as_often_with_a_thousand_prescriptions_as_with_one() {
    let store = Counting::default();
    let clinic = store.clinic();
    let cost = |count: usize| {
        let patient = clinic.patient();
        (0..count).step_by(30).for_each(|from| record(&clinic.care, consultation(patient, from, 30.min(count - from))));
        store.of(|| clinic.void(patient).unwrap())
    };
    let (one, thousand) = (cost(1), cost(1000));
    assert_eq!(one.runs, 4);
    assert_eq!(thousand.runs, one.runs);
    assert!(thousand.keys <= 1000 * one.keys, "{thousand:?} against {one:?}");
}

fn full<T: std::fmt::Debug>(made: Result<T, Error>) -> bool {
    is_conflict(made, Conflict::TooManyPrescriptions)
}

#[test]
fn a_patient_has_at_most_a_thousand_active_prescriptions() {
    let store = Counting::default();
    let clinic = store.clinic();
    let patient = clinic.patient();
    (0..33).for_each(|visit| record(&clinic.care, consultation(patient, 30 * visit, 30)));
    assert!(full(block_on(clinic.care.record_consultation(consultation(patient, 990, 11)))));
    record(&clinic.care, consultation(patient, 990, 10));
    let before = clinic.journal();
    let cost = store.of(|| {
        assert!(full(block_on(clinic.care.prescribe(patient, new("One more", regular())))));
    });
    assert_eq!((cost.runs, clinic.journal()), (2, before));
    // The limit counts for each patient alone, and each withdrawal makes room for another prescription.
    clinic.prescribe(clinic.patient(), "One more");
    clinic.withdraw(PrescriptionId::FIRST).unwrap();
    clinic.prescribe(patient, "One more");
    assert!(full(block_on(clinic.care.record_consultation(consultation(patient, 2000, 1)))));
}

#[test]
fn a_page_of_prescriptions_asks_for_all_medicines_at_once() {
    let store = Counting::default();
    let clinic = store.clinic();
    let patient = clinic.patient();
    record(&clinic.care, consultation(patient, 0, 30));
    let filter = care_core::store::PrescriptionFilter::default();
    let cost = store.of(|| assert_eq!(block_on(clinic.care.prescriptions(filter, None, 50)).unwrap().items.len(), 30));
    assert_eq!(cost, Work { runs: 2, keys: 30, journal: 0 });
}

#[test]
fn a_tracked_medicine_is_paid_in_as_few_steps_as_another() {
    let store = Counting::default();
    let clinic = store.clinic();
    let names = ["Counted", "Uncounted"].map(|name| MedicineName::new(name).unwrap());
    names.iter().for_each(|name| drop(block_on(clinic.care.add_item(name.clone(), ItemDetails::default())).unwrap()));
    let opening = vec![OpeningLot { lot: LotId::default(), units: 10.try_into().unwrap() }];
    let unit = UnitName::new("tablet").unwrap();
    block_on(clinic.care.start_stock(names[0].key().clone(), unit, StockDetails::default(), opening)).unwrap();
    let [counted, uncounted] = names.map(|name| {
        let prescription = clinic.prescribe(clinic.patient(), name.as_str());
        let mut invoice = InvoiceId::FIRST;
        let issued =
            store.of(|| invoice = block_on(clinic.care.issue_invoice(prescription)).unwrap().invoice.invoice_id);
        let read = store.of(|| drop(block_on(clinic.care.prescription(prescription)).unwrap()));
        (issued, store.of(|| drop(block_on(clinic.care.pay_invoice(invoice)).unwrap())), read)
    });
    assert_eq!((counted.0.runs, counted.1.runs), (uncounted.0.runs, uncounted.1.runs));
    assert_eq!((counted.0.runs, counted.1.runs), (3, 4));
    // The unpaid invoice is not asked for while there are units for another one.
    assert_eq!(
        (counted.2, uncounted.2),
        (Work { runs: 3, keys: 2, journal: 0 }, Work { runs: 3, keys: 2, journal: 0 })
    );
}

#[test]
fn lots_are_read_only_once_one_of_them_may_not_be_handed_out() {
    let store = Counting::default();
    let clinic = store.clinic();
    let name = MedicineName::new("Counted").unwrap();
    block_on(clinic.care.add_item(name.clone(), ItemDetails::default())).unwrap();
    let lot = |expires: &str| LotId { lot: None, expires: expires.parse().ok() };
    // The clinic's day is 15 March.
    let opening = ["20/03/2026", "20/06/2026"].map(|day| OpeningLot { lot: lot(day), units: 10.try_into().unwrap() });
    let unit = UnitName::new("tablet").unwrap();
    let started = clinic.care.start_stock(name.key().clone(), unit, StockDetails::default(), opening.into());
    block_on(started).unwrap();
    let prescription = clinic.prescribe(clinic.patient(), "Counted");
    let read = |keep: i64| {
        let keep_days = Patch::Set(keep.try_into().unwrap());
        let details = StockDetails { keep_days, ..StockDetails::default() };
        block_on(clinic.care.update_stock(name.key().clone(), details, ExpectedVersion::Any)).unwrap();
        let mut is_available = false;
        let work = store.of(|| is_available = block_on(clinic.care.prescription(prescription)).unwrap().is_available);
        (work.keys, is_available)
    };
    assert_eq!([0, 5, 6, 97, 98].map(read), [(2, true), (2, true), (3, true), (3, true), (3, false)]);
}

#[test]
fn a_refusal_costs_no_more_than_it_takes_to_know() {
    let store = Counting::default();
    let clinic = store.clinic();
    let patient = clinic.patient();
    record(&clinic.care, consultation(patient, 0, 30));
    let stale = ExpectedVersion::OneOf(Vec::new());
    let cost = store.of(|| block_on(clinic.care.void_patient(patient, stale)).unwrap_err());
    assert_eq!(cost, Work { runs: 2, keys: 2, journal: 0 });
}
