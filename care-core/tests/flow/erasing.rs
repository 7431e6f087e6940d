//! Erasing a person out of a journal.

use std::sync::{Arc, Mutex};

use care_core::{
    audit,
    error::Error,
    model::{
        Email, LotId, Note, Patch, PatientDetails, PatientId, Phone, PrescriptionDetails, StockDetails, Timestamp,
        UnitName, Units,
    },
    service::{CareService, ExpectedVersion, Idempotency, NewMovement, OpeningLot},
    store::{Change, Entry, Journal, Limit, MemoryStore, Query, Record, RecordKind, Records, Seq},
};
use futures_executor::block_on;

use crate::{
    auditing::read_clinic,
    clinic::{Clinic, medicine, named, text},
};

/// Returns the journal after the erasure of this person.
fn erased(journal: &[Entry], patient: PatientId) -> Vec<Entry> {
    let store = Arc::new(MemoryStore::new());
    block_on(store.replay(journal.to_vec())).unwrap();
    block_on(CareService::new(Arc::clone(&store)).erase_patient(patient)).unwrap();
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
        // A second erasure finds nothing to do.
        assert_eq!(erased(&once, *patient), once);
    }
    // All patients are erased one after the other.
    let nobody = patients.iter().fold(journal, |journal, patient| erased(&journal, *patient));
    let store = MemoryStore::new();
    block_on(store.replay(nobody)).unwrap();
    let left = block_on(store.list(&Query::All { after: None }, Limit::ALL)).unwrap().items;
    assert!(!left.iter().any(|found| matches!(found.record, Record::Patient(_) | Record::History(_))));
}

#[test]
fn nothing_that_is_known_of_a_person_is_left_in_any_record() {
    let clinic = Clinic::new();
    let known = PatientDetails {
        gender: text("canary-gender").into(),
        phone: Phone::try_from(710_710_710_710_i64).unwrap().into(),
        email: Email::new("canary-email@example.org").unwrap().into(),
        ..named("canary-name")
    };
    let patient = block_on(clinic.care.register_patient(known)).unwrap().patient_id;
    clinic.consult(patient, None, &["canary-disease"], &[]).unwrap();
    let prescribe = |name| {
        let dosage = text("canary-dosage").into();
        clinic.prescribe_as(patient, name, PrescriptionDetails { dosage, ..PrescriptionDetails::default() })
    };
    // One invoice is paid, and one is open when the person is erased.
    clinic.pay(clinic.bill(prescribe("Ibuprofen")));
    clinic.bill(prescribe("Aspirin"));

    let stored = || {
        let records = block_on(clinic.care.store().list(&Query::All { after: None }, Limit::ALL)).unwrap();
        format!("{records:?} {:?}", clinic.journal())
    };
    let canaries = ["name", "gender", "email", "disease", "dosage"].map(|field| format!("canary-{field}"));
    let left = |stored: &str| canaries.iter().filter(|canary| stored.contains(*canary)).count();
    let before = stored();
    assert!(left(&before) == canaries.len() && before.contains("710710710710"), "{before}");
    block_on(clinic.care.erase_patient(patient)).unwrap();
    let after = stored();
    assert!(left(&after) == 0 && !after.contains("710710710710"), "{after}");
}

#[test]
fn the_reply_to_a_return_with_a_note_is_erased_too() {
    let clinic = Clinic::new();
    let (patient, key) = (clinic.patient(), medicine("Ibuprofen").key().clone());
    clinic.stock("Ibuprofen", true);
    let units = || Units::try_from(1).unwrap();
    let details = StockDetails { supply_units: 1.try_into().map(Patch::Set).unwrap(), ..StockDetails::default() };
    let opening = vec![OpeningLot { lot: LotId::default(), units: units() }];
    block_on(clinic.care.start_stock(key.clone(), UnitName::new("tablets").unwrap(), details, opening)).unwrap();
    let invoice_id = clinic.bill(clinic.prescribe(patient, "Ibuprofen"));
    clinic.pay(invoice_id);
    let note = Note::new("Ada Example of Elm Street 5").ok();
    let back = NewMovement { note, ..NewMovement::returned(LotId::default(), units(), invoice_id) };
    let once = clinic.care.once(Idempotency::new("returned-1").unwrap());
    block_on(once.move_stock(key, back)).unwrap();

    block_on(clinic.care.erase_patient(patient)).unwrap();
    let left = format!("{:?}", block_on(clinic.care.store().list(&Query::All { after: None }, Limit::ALL)).unwrap());
    for text in [left, format!("{:?}", clinic.journal())] {
        assert!(!text.contains("Elm Street") && !text.contains("returned-1"), "{text}");
    }
    // Its number stays: in a value that the chain commits to, in what the erasure left in the place of the reply, and
    // in what it put.
    let journal = clinic.journal();
    let revisions = journal.iter().flat_map(|entry| &entry.revisions);
    let replies: Vec<_> = revisions
        .filter_map(|revision| match &revision.change {
            Change::Put(Record::Reply(reply)) => Some((reply.patient_id, revision.commitment.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(replies, [false, true, false].map(|is_erased| (Some(patient), is_erased)));
}

#[test]
fn the_reply_to_a_withdrawal_is_about_the_patient_whose_records_went() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let prescription = clinic.prescribe(patient, "Ibuprofen");
    let once = clinic.care.once(Idempotency::new("withdrawn-1").unwrap());
    // The consultation that was made for it goes too, so the entry puts no record of the patient.
    block_on(once.withdraw_prescription(prescription, ExpectedVersion::Any)).unwrap();
    block_on(clinic.care.erase_patient(patient)).unwrap();
    let left = format!("{:?}", block_on(clinic.care.store().list(&Query::All { after: None }, Limit::ALL)).unwrap());
    for text in [left, format!("{:?}", clinic.journal())] {
        assert!(!text.contains("withdrawn-1"), "{text}");
    }
}

#[test]
fn a_reply_that_was_removed_after_a_day_is_erased_from_the_journal() {
    let now = Arc::new(Mutex::new("2026-03-15T12:00:00Z".parse::<Timestamp>().unwrap()));
    let clock = Arc::clone(&now);
    let care = CareService::new(MemoryStore::new()).with_clock(move || *clock.lock().unwrap());
    let register = |key: &str, name: &str| {
        block_on(care.once(Idempotency::new(key).unwrap()).register_patient(named(name))).unwrap().patient_id
    };
    let patient = register("registered-1", "Ada Example");
    *now.lock().unwrap() = "2026-03-16T12:00:01Z".parse().unwrap();
    // This request removes the reply to the first one; nothing else in its entry is about the erased person.
    register("registered-2", "Another Person");

    block_on(care.erase_patient(patient)).unwrap();
    block_on(audit::verify(care.store())).unwrap();
    let left = format!("{:?}", block_on(care.store().journal(Seq::ZERO, Limit::ALL)).unwrap());
    assert!(!left.contains("Ada") && !left.contains("registered-1"), "{left}");
}

#[test]
fn nobody_is_not_erased() {
    let care = CareService::new(MemoryStore::new());
    let refused = block_on(care.erase_patient(PatientId::FIRST));
    assert!(matches!(refused, Err(Error::NotFound(RecordKind::Patient))));
    assert_eq!(block_on(care.last()).unwrap(), Seq::ZERO);
}
