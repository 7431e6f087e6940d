//! Acknowledged changes are there when the store is opened again. A store that keeps nothing passes these cases
//! untested.

use care_core::{
    error::Error,
    model::Item,
    store::{Change, Counter, Entity, Record, RecordKey, RecordKind, Seq, Series, Voided},
};

use crate::{
    dice::Dice,
    samples,
    store::{
        subject::{Subject, planted_panic},
        walk::{compare, walk},
    },
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

pub(in crate::store) fn every_answer_is_the_same_after_reopening(subject: Subject) {
    let model = walk(&subject, 7);
    let Some(subject) = subject.reopen() else {
        return;
    };
    compare(&subject, &model, &mut Dice::new(7));
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
