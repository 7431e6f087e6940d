//! Acknowledged changes are there when the store is opened again. A store that keeps nothing passes these cases
//! untested.

use care_core::{
    error::Error,
    model::{Invoice, Item, Patient, Prescription, RegularDemand},
    store::{Change, Counter, Entity, List, Record, RecordKey, RecordKind, Seq, Series, Versioned, Voided},
};

use crate::{
    samples,
    store::subject::{Subject, planted_panic},
};

/// Returns a record of each kind, in its most extreme form where that is legal beside the others.
fn everything() -> Vec<Record> {
    let name = samples::medicine(&samples::every_plane(128));
    let prescription = samples::prescription(3, 7, &name);
    vec![
        samples::patient_forms(7).swap_remove(2).into(),
        samples::history_forms(7).swap_remove(2).into(),
        samples::consultation_forms(9, 7).swap_remove(2).into(),
        samples::consultation(&prescription).into(),
        samples::diagnosis_forms(3, 7).swap_remove(2).into(),
        prescription.clone().into(),
        samples::invoice(5, &prescription).into(),
        samples::item_forms(&name).swap_remove(2).into(),
        samples::demand(&name, samples::last_day()).into(),
        samples::regular_demand(&name, 3).into(),
        Counter { series: Series::Invoice, last: 5 }.into(),
        Voided { patient_id: samples::patient_id(8) }.into(),
    ]
}

pub(in crate::store) fn an_empty_store_reopens_empty(subject: Subject) {
    let Some(subject) = subject.reopen() else {
        return;
    };
    assert!(subject.entries().is_empty());
    assert_eq!(subject.put(samples::patient(7)), Seq::new(1));
    let subject = subject.reopen().expect("what was reopened once is reopened again");
    assert_eq!(subject.entries().len(), 1);
}

pub(in crate::store) fn the_epoch_is_there_after_reopening(subject: Subject) {
    let epoch = subject.store().epoch();
    subject.put(samples::patient(7));
    assert_eq!(subject.store().epoch(), epoch, "no decision changes it");
    let Some(subject) = subject.reopen() else {
        return;
    };
    assert_eq!(subject.store().epoch(), epoch);
}

pub(in crate::store) fn every_record_is_there_after_reopening(subject: Subject) {
    let expected: Vec<Versioned<Record>> =
        everything().into_iter().map(|record| Versioned { version: subject.put(record.clone()), record }).collect();
    let Some(subject) = subject.reopen() else {
        return;
    };
    for found in expected {
        assert_eq!(subject.record(found.record.key()), Some(found));
    }
}

pub(in crate::store) fn every_key_and_list_answers_after_reopening(subject: Subject) {
    subject.commit(everything().into_iter().map(Change::Put).collect());
    let answers = |subject: &Subject| {
        let patient = samples::patient_id(7);
        let name = samples::medicine(&samples::every_plane(128)).key().clone();
        let prescriptions = (
            subject.one(Prescription::active(patient, &name)).is_some(),
            subject.one(Prescription::newest(patient, &name)).is_some(),
            subject.all(Prescription::of_patient(patient)).len(),
        );
        let unpaid = Invoice::unpaid(samples::prescription_id(3));
        let invoices = [unpaid, Invoice::unpaid_of(patient)].map(|ask| subject.one(ask).is_some());
        let free = subject.ask(|seen| seen.number(Patient::free_number(6)));
        let items = subject.list(&List::<Item>::all(None), 10);
        (prescriptions, invoices, free, items, subject.list(&List::<RegularDemand>::all(None), 10))
    };
    let before = answers(&subject);
    assert_eq!((before.0, before.1, before.2), ((true, true, 1), [true; 2], Some(9)));
    let Some(subject) = subject.reopen() else {
        return;
    };
    assert_eq!(answers(&subject), before);
}

pub(in crate::store) fn the_journal_goes_on_after_reopening(subject: Subject) {
    subject.commit(everything().into_iter().map(Change::Put).collect());
    subject.remove(RecordKey::Invoice(samples::invoice_id(5)));
    let mut entries = subject.entries();
    let Some(subject) = subject.reopen() else {
        return;
    };
    assert_eq!(subject.entries(), entries);
    assert_eq!(subject.put(samples::patient(9)), Seq::new(3));
    entries.extend(subject.journal(Seq::new(2), 10));
    let subject = subject.reopen().expect("what was reopened once is reopened again");
    assert_eq!(subject.entries(), entries);
}

pub(in crate::store) fn what_did_not_happen_is_not_there_after_reopening(subject: Subject) {
    subject.put(samples::patient(7));
    subject.remove(RecordKey::Patient(samples::patient_id(7)));
    let refused = subject.attempt(|_| Err(Error::NotFound(RecordKind::Item).into()));
    assert!(matches!(refused, Err(Error::NotFound(RecordKind::Item))));
    let panicked = subject.attempt(|_| planted_panic());
    assert!(matches!(panicked, Err(Error::Store(_))));
    let Some(subject) = subject.reopen() else {
        return;
    };
    assert_eq!(subject.record(RecordKey::Patient(samples::patient_id(7))), None);
    let item = samples::item(&samples::medicine("Ibuprofen"));
    assert_eq!(subject.record(Item::key(item.medicine.key().clone())), None);
    assert_eq!(subject.put(item), Seq::new(3));
}
