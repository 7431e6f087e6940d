//! An audit accepts every store that the service has written, and names the place of a contradiction.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use async_trait::async_trait;
use care_core::{
    audit::{self, AuditError, Contradiction, Findings, Summary},
    error::{StoreError, StoreErrorKind},
    model::{Age, InvoiceId, Item, Patch, Patient, PatientId, PrescriptionDetails, RefundReason},
    operation::Operation,
    service::{CareService, ExpectedVersion, Idempotency, NewRefund},
    store::{
        CareStore, Entry, Journal, Limit, MemoryStore, Portion, Query, Record, RecordKey, Records, Seq, Versioned,
    },
};
use care_testkit::{Hooks, Wrap};
use futures_executor::block_on;

use crate::clinic::{Clinic, medicine, named, regular};

fn contradiction(audited: Result<Summary, AuditError>) -> Contradiction {
    match audited {
        Err(AuditError::Contradiction(found)) => match *found {
            Findings { chain: None, values: None, records: Some(found) } => found,
            other => panic!("more than the records is at fault: {other:?}"),
        },
        other => panic!("this is no contradiction: {other:?}"),
    }
}

/// Returns a clinic after a few days in which everything possible happens.
pub(crate) fn busy_clinic() -> Clinic {
    let clinic = Clinic::new();
    clinic.stock("Ibuprofen", true);
    clinic.stock("Insulin", false);
    let (ada, bob, cyd) = (clinic.patient(), clinic.patient(), clinic.patient());
    let visit = clinic.consult(ada, Some("14/03/2026"), &["a", "b", "c", "d"], &["Ibuprofen", "Aspirin"]).unwrap();
    clinic.consult(bob, None, &["flu"], &[]).unwrap();
    let invoices: Vec<_> = visit.prescription_ids.iter().map(|id| clinic.bill(*id)).collect();
    clinic.pay(invoices[0]);
    clinic.cancel(invoices[1]).unwrap();
    clinic.withdraw(visit.prescription_ids[1]).unwrap();

    let insulin = clinic.prescribe_as(ada, "Insulin", regular());
    clinic.pay(clinic.bill(insulin));
    clinic.pay(clinic.bill(insulin));
    clinic.bill(insulin);
    let not_regular = PrescriptionDetails { is_regular: Patch::Clear, ..PrescriptionDetails::default() };
    let key = medicine("insulin").key().clone();
    block_on(clinic.care.update_prescription(ada, key.clone(), not_regular, ExpectedVersion::Any)).unwrap();
    block_on(clinic.care.update_prescription(ada, key, regular(), ExpectedVersion::Any)).unwrap();

    // One withdrawal takes its visit with it, the other leaves a visit that is counted.
    clinic.withdraw(clinic.prescribe(bob, "Aspirin")).unwrap();
    let open = clinic.consult(bob, None, &["gout"], &["Aspirin", "Insulin"]).unwrap();
    for id in open.prescription_ids {
        clinic.withdraw(id).unwrap();
    }
    let completed = clinic.consult(cyd, None, &["cold"], &["Ibuprofen", "Aspirin"]).unwrap();
    clinic.pay(clinic.bill(completed.prescription_ids[0]));
    clinic.void(cyd).unwrap();

    let chosen = PatientId::try_from(i64::MAX).unwrap();
    block_on(clinic.care.register_patient_as(chosen, named("Max"))).unwrap();
    block_on(clinic.care.remove_item(medicine("Insulin").key().clone(), ExpectedVersion::Any)).unwrap();
    for _ in 0..2 {
        let once = Idempotency::new("key-1").unwrap();
        block_on(clinic.care.once(once).register_patient(named("Dee"))).unwrap();
    }
    clinic.prescribe(chosen, "IBUPROFEN");
    clinic
}

/// Returns the busy clinic with reads of a patient, of a voided patient, and of one without a history.
pub(crate) fn read_clinic() -> Clinic {
    let clinic = busy_clinic();
    let patient = |number: i64| PatientId::try_from(number).unwrap();
    let keys = [RecordKey::Patient(patient(1)), RecordKey::Patient(patient(3)), RecordKey::History(patient(i64::MAX))];
    for key in keys {
        block_on(clinic.care.note_read(Operation::GetPatient, key)).unwrap();
    }
    clinic
}

#[test]
fn an_empty_store_holds_together() {
    let summary = block_on(audit::verify(&MemoryStore::new())).unwrap();
    assert_eq!((summary.entries, summary.records), (0, 0));
}

#[test]
fn what_the_service_writes_holds_together() {
    let clinic = read_clinic();
    let summary = block_on(audit::verify(clinic.care.store())).unwrap();
    let all = Query::All { after: None };
    let records = block_on(clinic.care.store().list(&all, Limit::ALL)).unwrap().items;
    assert_eq!(summary.records, records.len() as u64);
    assert_eq!(summary.entries, clinic.journal().len() as u64);
}

#[test]
fn many_pages_hold_together() {
    let clinic = Clinic::new();
    for _ in 0..2_500 {
        clinic.patient();
    }
    let summary = block_on(audit::verify(clinic.care.store())).unwrap();
    assert_eq!((summary.entries, summary.records), (2_500, 2_501));
}

#[test]
fn it_may_run_while_others_write() {
    let clinic = busy_clinic();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..150 {
                let patient = clinic.patient();
                clinic.pay(clinic.bill(clinic.prescribe(patient, "Ibuprofen")));
                block_on(clinic.care.note_read(Operation::GetHistory, RecordKey::History(patient))).unwrap();
                clinic.void(patient).unwrap();
            }
            over.store(true, Ordering::SeqCst);
        });
        let mut entries = 0;
        while !over.load(Ordering::SeqCst) {
            entries = block_on(audit::verify(clinic.care.store())).unwrap().entries;
        }
        assert!(entries > 0);
    });
}

/// A store in which a person is erased, and then an invoice of theirs refunded, right after one of the reads.
struct Erasing {
    store: Arc<MemoryStore>,
    /// The number of the read, from 1.
    at: usize,
    reads: AtomicUsize,
}

impl Erasing {
    async fn erase(&self) -> Result<(), StoreError> {
        if self.reads.fetch_add(1, Ordering::SeqCst) + 1 == self.at {
            let care = CareService::new(Arc::clone(&self.store));
            let broken = |error| StoreError::new(StoreErrorKind::Broken, error);
            care.erase_patient(PatientId::FIRST).await.map_err(broken)?;
            let refund = NewRefund::of(RefundReason::Duplicate);
            care.refund_invoice(InvoiceId::FIRST, refund, ExpectedVersion::Any).await.map_err(broken)?;
        }
        Ok(())
    }
}

#[async_trait]
impl Hooks for Erasing {
    type Store = Arc<MemoryStore>;

    fn store(&self) -> &Self::Store {
        &self.store
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        let found = self.store.list(query, Limit::items(limit.items.min(5))).await?;
        self.erase().await?;
        Ok(found)
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        let found = self.store.journal(after, Limit::items(limit.items.min(5))).await?;
        self.erase().await?;
        Ok(found)
    }
}

#[test]
fn it_may_run_while_a_person_is_erased() {
    let journal = busy_clinic().journal();
    let head = journal.last().unwrap().head();
    let mut erased = 0;
    // The person is erased after each of the reads in turn, until the audit is done before.
    for at in 1.. {
        let store = Arc::new(MemoryStore::new());
        block_on(store.replay(journal.clone())).unwrap();
        let store = Wrap(Erasing { store, at, reads: AtomicUsize::new(0) });
        let entries =
            block_on(audit::verify_from(&store, head)).unwrap_or_else(|found| panic!("{at}: {found}")).entries;
        if store.0.reads.load(Ordering::SeqCst) < at {
            break;
        }
        erased += usize::from(entries > journal.len() as u64);
    }
    assert!(erased > 10, "{erased}");
}

type Edit = Box<dyn Fn(&mut Vec<Versioned<Record>>) + Send + Sync>;

/// A store whose records were changed by hand.
struct Tampered {
    store: MemoryStore,
    edit: Edit,
    /// Entries that another process writes right after the first page was read.
    late: Mutex<Vec<Entry>>,
}

impl Tampered {
    fn new(edit: impl Fn(&mut Vec<Versioned<Record>>) + Send + Sync + 'static) -> Wrap<Self> {
        Self::of(busy_clinic().journal(), edit)
    }

    fn of(journal: Vec<Entry>, edit: impl Fn(&mut Vec<Versioned<Record>>) + Send + Sync + 'static) -> Wrap<Self> {
        let store = MemoryStore::new();
        block_on(store.replay(journal)).unwrap();
        Wrap(Self { store, edit: Box::new(edit), late: Mutex::default() })
    }
}

#[async_trait]
impl Hooks for Tampered {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.store
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        let mut found = self.store.list(query, limit).await?;
        (self.edit)(&mut found.items);
        let late = std::mem::take(&mut *self.late.lock().unwrap());
        let replayed = self.store.replay(late).await;
        replayed.map_err(|error| StoreError::new(StoreErrorKind::Broken, error))?;
        Ok(found)
    }
}

fn tampered(store: &dyn CareStore) -> String {
    contradiction(block_on(audit::verify(store))).to_string()
}

fn first<'a, T: 'a>(
    records: &'a mut [Versioned<Record>],
    of: impl Fn(&'a mut Record) -> Option<&'a mut T>,
) -> &'a mut T {
    records.iter_mut().find_map(|found| of(&mut found.record)).unwrap()
}

fn patient(record: &mut Record) -> Option<&mut Patient> {
    match record {
        Record::Patient(patient) => Some(patient),
        _ => None,
    }
}

fn item(record: &mut Record) -> Option<&mut Item> {
    match record {
        Record::Item(item) => Some(item),
        _ => None,
    }
}

#[test]
fn a_changed_record_is_named_with_its_fields() {
    let store = Tampered::new(|records| {
        let patient = first(records, patient);
        (patient.age, patient.name) = (Age::try_from(40).ok(), None);
    });
    assert_eq!(tampered(&store), "Patient 1: age, name are not as entry 15 put it");
    let store = Tampered::new(|records| first(records, item).is_available = false);
    assert_eq!(tampered(&store), "Item ibuprofen: isAvailable is not as entry 1 put it");
}

#[test]
fn a_removed_record_is_missed() {
    let store = Tampered::new(|records| drop(records.remove(0)));
    assert_eq!(tampered(&store), "Patient 1: is not stored, but entry 15 put it");
    let store = Tampered::new(|records| drop(records.pop()));
    let said = tampered(&store);
    let id = said.strip_prefix("Reply ").and_then(|said| said.split_once(": is not stored, but entry "));
    assert!(id.is_some_and(|(id, _)| id.len() == 32), "{said}");
}

#[test]
fn an_added_record_is_noticed() {
    let store = Tampered::new(|records| {
        let id = PatientId::try_from(77).unwrap();
        let record = Patient::new(id).into();
        let place = records.partition_point(|found| found.record.key() < RecordKey::Patient(id));
        let version = Seq::new(2);
        records.insert(place, Versioned { version, record });
    });
    assert_eq!(tampered(&store), "Patient 77: is stored, but according to the journal there is none");
}

#[test]
fn a_changed_version_is_noticed() {
    let store = Tampered::new(|records| records[1].version = Seq::new(3));
    assert_eq!(tampered(&store), "Patient 2: says that entry 3 put it, but the last to put it was entry 7");
}

#[test]
fn what_is_written_meanwhile_excuses_nothing_else() {
    let original = busy_clinic();
    let known = original.journal();
    let other = original.patient();
    original.void(other).unwrap();
    original.prescribe(PatientId::FIRST, "Aspirin");
    let late = original.journal().split_off(known.len());
    let sound = Tampered::of(known.clone(), |_| {});
    *sound.0.late.lock().unwrap() = late.clone();
    block_on(audit::verify(&sound)).unwrap();
    let store = Tampered::of(known, |records| first(records, patient).age = Age::try_from(40).ok());
    *store.0.late.lock().unwrap() = late;
    assert_eq!(tampered(&store), "Patient 1: age is not as entry 15 put it");
}
