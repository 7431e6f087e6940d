//! Erasing a person out of a journal.

use care_core::{
    audit,
    error::{Error, Kind},
    model::{PatientId, Timestamp},
    service::{CareService, Erasure},
    store::{Act, Change, Entry, InvoiceFilter, Journal, Limit, MemoryStore, Query, Record, Records, Seq},
};
use futures_executor::block_on;

use crate::auditing::read_clinic;

fn act() -> Act {
    let at = Timestamp::from_unix_millis(1_800_000_000_000).unwrap();
    Act { actor: "tests".into(), operation: "erasePatient", at, until: None }
}

/// Returns the paid invoices of a patient in the store.
fn invoices(store: &MemoryStore, patient_id: PatientId) -> Vec<care_core::model::Invoice> {
    let state = Some(care_core::model::InvoiceState::Paid);
    let filter = InvoiceFilter { patient_id: Some(patient_id), state };
    let found = block_on(store.list(&Query::Invoices { filter, after: None }, Limit::ALL)).unwrap().items;
    let invoice = |record| match record {
        Record::Invoice(invoice) => Some(invoice),
        _ => None,
    };
    found.into_iter().filter_map(|found| invoice(found.record)).collect()
}

/// Returns the journal after the erasure of this person.
fn erased(journal: &[Entry], patient: PatientId) -> Vec<Entry> {
    let mut erasure = Erasure::of(patient);
    let entries = journal.iter().map(|entry| erasure.entry(entry).unwrap_or_else(|| entry.clone())).collect();
    let store = MemoryStore::new();
    block_on(store.replay(entries)).unwrap();
    let decision = erasure.decision(invoices(&store, patient));
    block_on(store.transact(act(), decision)).unwrap().unwrap();
    block_on(audit::verify(&store)).unwrap();
    block_on(store.journal(Seq::ZERO, Limit::ALL)).unwrap().items
}

fn patients(journal: &[Entry]) -> Vec<PatientId> {
    let changes = journal.iter().flat_map(Entry::changes);
    let mut patients: Vec<_> = changes
        .filter_map(|change| match change {
            Change::Put(Record::Patient(patient)) => Some(patient.patient_id),
            _ => None,
        })
        .collect();
    patients.sort_unstable();
    patients.dedup();
    patients
}

#[test]
fn whoever_is_erased_the_journal_still_tells_a_possible_story() {
    let journal = read_clinic().journal();
    let patients = patients(&journal);
    assert!(patients.len() > 2);
    for patient in &patients {
        let once = erased(&journal, *patient);
        assert_eq!(once.len(), journal.len() + 1);
        for (before, after) in journal.iter().zip(&once) {
            assert_eq!((before.seq, before.revisions.len()), (after.seq, after.revisions.len()));
            // The notes of reads contain only numbers, and stay.
            assert_eq!(before.reads, after.reads);
        }
        // A second erasure finds nothing, and only records that it was done.
        let twice = erased(&once, *patient);
        assert_eq!(twice[..once.len()], once);
    }
    // All patients are erased one after the other.
    let nobody = patients.iter().fold(journal, |journal, patient| erased(&journal, *patient));
    let store = MemoryStore::new();
    block_on(store.replay(nobody)).unwrap();
    let left = block_on(store.list(&Query::All { after: None }, Limit::ALL)).unwrap().items;
    assert!(!left.iter().any(|found| matches!(found.record, Record::Patient(_) | Record::History(_))));
}

#[test]
fn nobody_is_not_erased() {
    let store = MemoryStore::new();
    let erasure = Erasure::of(PatientId::FIRST);
    let refused = block_on(store.transact(act(), erasure.decision(Vec::new())));
    assert!(matches!(refused, Err(Error::NotFound(Kind::Patient))));
    assert!(block_on(CareService::new(store).store().journal(Seq::ZERO, Limit::items(1))).unwrap().items.is_empty());
}
