//! The records of a person, of every kind, after the person is voided, and then erased. A store without maintenance
//! passes.

use std::collections::BTreeSet;

use care_core::{
    service::{CareService, ExpectedVersion},
    store::{Change, Entry, OnVoid, Query, Record, RecordKey, RecordKind, Versioned},
};

use crate::{
    samples::{self, CANARY},
    store::subject::{ALL, Subject},
};

/// The person, and another whose records stay as they are. The records of each have a number of their own.
const PERSON: (i64, i64) = (7, 1);
const OTHER: (i64, i64) = (8, 2);

fn put_all(subject: &Subject) -> BTreeSet<RecordKey> {
    let put = |(patient, number)| -> BTreeSet<RecordKey> {
        let forms = samples::of_person(patient, number).into_iter();
        forms.map(|form| (form.key(), subject.put(form)).0).collect()
    };
    put(OTHER);
    put(PERSON)
}

fn every_record(subject: &Subject) -> Vec<Versioned<Record>> {
    subject.list(&Query::All { after: None }, ALL)
}

/// Returns the records that entries put, those of the person alone.
fn put_in<'a>(entries: &'a [Entry], of: &'a BTreeSet<RecordKey>) -> impl Iterator<Item = &'a Record> {
    entries.iter().flat_map(Entry::changes).filter_map(|change| match change {
        Change::Put(record) if of.contains(&record.key()) => Some(record),
        Change::Put(_) | Change::Remove(_) => None,
    })
}

pub(in crate::store) fn a_voiding_takes_what_each_kind_says_that_it_takes(subject: Subject) {
    let keys = put_all(&subject);
    let care = CareService::new(subject.shared());
    let before = every_record(&subject);
    let person = samples::patient_id(PERSON.0);
    subject.block_on(care.void_patient(person, ExpectedVersion::Any)).expect("the person is voided");
    let is_left = |key: &RecordKey| {
        let owner = RecordKind::of(key).owner();
        !keys.contains(key) || owner.is_some_and(|owner| owner.on_void == OnVoid::Keep)
    };
    let mut left: Vec<_> = before.into_iter().filter(|found| is_left(&found.record.key())).collect();
    let mark = RecordKey::Voided(person);
    let after: Vec<_> = every_record(&subject).into_iter().filter(|found| found.record.key() != mark).collect();
    left.retain(|found| found.record.key() != mark);
    assert_eq!(after, left);
    assert!(subject.record(mark).is_some());
}

pub(in crate::store) fn nothing_that_a_kind_calls_personal_outlives_an_erasure(subject: Subject) {
    if subject.store().maintenance().is_none() {
        return;
    }
    let keys = put_all(&subject);
    let care = CareService::new(subject.shared());
    let text = |subject: &Subject| {
        let stored: Vec<_> = every_record(subject).into_iter().map(Versioned::into_record).collect();
        // An export has the entries as they are written here.
        serde_json::to_string(&(stored, subject.entries())).expect("records and entries")
    };
    let of = |(patient, _): (i64, i64)| format!("{CANARY}-{patient}-");
    let canaries = |of: &str| text(&subject).matches(of).count();
    let of_other = canaries(&of(OTHER));
    assert!(of_other > 0 && canaries(&of(PERSON)) == of_other);
    let before = subject.entries();
    assert!(put_in(&before, &keys).any(|record| record.emptied().is_some_and(|left| left != *record)));

    let person = samples::patient_id(PERSON.0);
    subject.block_on(care.void_patient(person, ExpectedVersion::Any)).expect("the person is voided");
    let erased = subject.block_on(care.erase_patient(person)).expect("the person is erased");
    assert_eq!((canaries(&of(PERSON)), canaries(&of(OTHER))), (0, of_other), "{}", text(&subject));
    for record in put_in(&subject.entries(), &keys) {
        assert!(record.emptied().is_none_or(|left| left == *record), "{record:?}");
    }
    for (before, after) in before.iter().zip(subject.entries()) {
        assert_eq!((before.revisions.len(), before.link), (after.revisions.len(), after.link));
    }
    let records = every_record(&subject);
    let again = subject.block_on(care.erase_patient(person)).expect("the person is erased");
    assert_eq!((again.entry, again.rewritten, every_record(&subject)), (erased.entry, 0, records));
}
