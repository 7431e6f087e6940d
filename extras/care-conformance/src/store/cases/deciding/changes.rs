//! The effects of the changes of one decision.

use care_core::{
    model::{Item, MedicineKey, Patient, RegularDemand},
    store::{Change, Counter, Entity, List, Query, Record, RecordKey, Seq, Series, Versioned, Voided},
};

use crate::{
    samples,
    store::{clinic, subject::Subject},
};

fn item(price: Option<i64>) -> Item {
    let price = price.map(|price| price.try_into().expect("a legal price"));
    Item { price, ..samples::item(&samples::medicine("Ibuprofen")) }
}

fn ibuprofen() -> MedicineKey {
    samples::medicine("Ibuprofen").key().clone()
}

fn key() -> RecordKey {
    Item::key(ibuprofen())
}

pub(in crate::store) fn a_put_creates_and_then_replaces(subject: Subject) {
    for price in [Some(1), Some(2), None, Some(3)] {
        let version = subject.put(item(price));
        let found = subject.get::<Item>(ibuprofen());
        assert_eq!(found, Some(Versioned { version, record: item(price) }));
        assert_eq!(subject.list(&List::<Item>::all(None), 10).len(), 1);
    }
}

pub(in crate::store) fn changes_are_applied_in_order(subject: Subject) {
    subject.commit(vec![
        Change::put(item(Some(1))),
        Change::put(item(Some(2))),
        Change::put(samples::regular_demand(&samples::medicine("Ibuprofen"), 1)),
        Change::put(item(Some(3))),
    ]);
    let found = subject.get::<Item>(ibuprofen()).map(|found| found.record);
    assert_eq!(found, Some(item(Some(3))));
}

pub(in crate::store) fn put_then_removed_leaves_nothing(subject: Subject) {
    let changes = vec![Change::put(item(Some(1))), Change::Remove(key())];
    assert_eq!(subject.commit(changes.clone()), Seq::new(1));
    assert_eq!(subject.get::<Item>(ibuprofen()), None);
    assert_eq!(subject.last_changes(), Some(changes));
}

pub(in crate::store) fn removed_then_put_leaves_the_new_record(subject: Subject) {
    subject.put(item(Some(1)));
    let version = subject.commit(vec![Change::Remove(key()), Change::put(item(None))]);
    let found = subject.get::<Item>(ibuprofen());
    assert_eq!(found, Some(Versioned { version, record: item(None) }));
}

pub(in crate::store) fn an_entry_says_what_each_change_replaced(subject: Subject) {
    let (patient, regular_demand) = (samples::patient(7), samples::regular_demand(&samples::medicine("Ibuprofen"), 1));
    subject.commit(vec![Change::put(item(Some(1))), Change::put(regular_demand)]);
    assert_eq!(subject.last_replaced(), Some(vec![Seq::ZERO; 2]));
    let second = subject.put(item(Some(2)));
    assert_eq!(subject.last_replaced(), Some(vec![Seq::new(1)]));
    // Both puts are in one entry, so there is no version in between.
    let changes = vec![Change::put(patient), Change::Remove(key()), Change::put(item(Some(3)))];
    let third = subject.commit(changes);
    assert_eq!(subject.last_replaced(), Some(vec![Seq::ZERO, second, second]));
    subject.commit(vec![Change::Remove(key()), Change::Remove(RecordKey::Patient(samples::patient_id(8)))]);
    assert_eq!(subject.last_replaced(), Some(vec![third, Seq::ZERO]));
    subject.put(item(Some(4)));
    assert_eq!(subject.last_replaced(), Some(vec![Seq::ZERO]));
}

pub(in crate::store) fn removing_what_is_absent_does_nothing(subject: Subject) {
    let version = subject.put(samples::patient(7));
    let seq = subject.commit(vec![Change::Remove(key()), Change::Remove(key())]);
    assert_eq!(seq, version.next());
    assert_eq!(subject.get::<Item>(ibuprofen()), None);
    let patient = subject.get::<Patient>(samples::patient_id(7));
    assert_eq!(patient.map(|found| found.version), Some(version));
    assert_eq!(subject.entries().len(), 2);
}

pub(in crate::store) fn a_read_is_written_down_and_changes_nothing(subject: Subject) {
    let regular_demand = samples::regular_demand(&samples::medicine("Ibuprofen"), 1);
    let every = [samples::patient(7).into(), regular_demand.into(), item(Some(1)).into()];
    let first = subject.commit(every.clone().map(Change::Put).into());
    let keys = [
        every[0].key(),
        RecordKey::History(samples::patient_id(7)),
        RecordKey::Prescription(samples::prescription_id(3)),
        RecordKey::Invoice(samples::invoice_id(2)),
        RecordKey::Consultation(samples::consultation_id(9)),
        key(),
    ];
    for (key, count) in keys.into_iter().zip(1..) {
        let before = subject.list(&Query::All { after: None }, 10);
        assert_eq!(subject.commit_reading(Vec::new(), vec![key.clone()]), Seq::new(first.value() + count));
        assert_eq!(subject.list(&Query::All { after: None }, 10), before);
        let entry = subject.entries().pop().map(|entry| (entry.revisions, entry.reads));
        assert_eq!(entry, Some((Vec::new(), vec![key])));
    }
    // Beside a change, and of the record that is changed.
    let both = subject.commit_reading(vec![Change::put(item(Some(2)))], vec![key(), every[0].key()]);
    assert_eq!(subject.entries().pop().map(|entry| entry.reads), Some(vec![key(), every[0].key()]));
    // The next change replaces the version from before the read.
    assert_eq!(subject.last_replaced(), Some(vec![first]));
    assert_eq!(subject.record(key()).map(|found| found.version), Some(both));
}

pub(in crate::store) fn an_equal_put_is_a_change(subject: Subject) {
    let first = subject.put(item(Some(1)));
    let second = subject.put(item(Some(1)));
    assert_eq!(second, first.next());
    assert_eq!(subject.get::<Item>(ibuprofen()).map(|found| found.version), Some(second));
}

pub(in crate::store) fn the_version_is_the_entry_that_put_it(subject: Subject) {
    let patients = |numbers: &[i64]| clinic::patients(numbers.iter().copied());
    let first = subject.commit(patients(&[1, 2, 3]));
    let second = subject.commit(patients(&[2]));
    let third = subject.commit(vec![Change::Remove(RecordKey::Patient(samples::patient_id(3)))]);
    let fourth = subject.commit(patients(&[3]));
    assert_eq!([first, second, third, fourth].map(Seq::value), [1, 2, 3, 4]);
    let versions =
        [1, 2, 3].map(|number| subject.get::<Patient>(samples::patient_id(number)).map(|found| found.version));
    assert_eq!(versions, [Some(first), Some(second), Some(fourth)]);
    let query = List::<Patient>::all(None);
    let listed: Vec<_> = subject.list(&query, 10).iter().map(|found| found.version).collect();
    assert_eq!(listed, [first, second, fourth]);
}

pub(in crate::store) fn every_record_of_a_decision_has_its_version(subject: Subject) {
    subject.put(item(None));
    let prescription = samples::prescription(3, 7, &samples::medicine("Ibuprofen"));
    let mut changes = clinic::patients([7]);
    changes.extend(clinic::prescribe(&prescription));
    changes.push(Change::put(samples::invoice(2, &prescription)));
    changes.push(Change::put(samples::regular_demand(&prescription.medicine, 1)));
    let keys: Vec<_> = changes.iter().map(Change::key).collect();
    let version = subject.commit(changes);
    for key in keys {
        assert_eq!(subject.record(key).map(|found| found.version), Some(version));
    }
}

pub(in crate::store) fn a_decision_of_a_thousand_changes_is_whole(subject: Subject) {
    let regular_demand = |number: u64| samples::regular_demand(&samples::medicine(&format!("m{number}")), number);
    let changes: Vec<_> = (0..1000).map(|number| Change::put(regular_demand(number))).collect();
    let version = subject.commit(changes.clone());
    assert_eq!(version, Seq::new(1));
    let listed = subject.list(&List::<RegularDemand>::all(None), 2000);
    assert_eq!(listed.len(), 1000);
    assert!(listed.iter().all(|found| found.version == version));
    for number in [0, 499, 999] {
        let found = subject
            .get::<RegularDemand>(samples::regular_demand_id(&regular_demand(number).medicine))
            .map(|found| found.record);
        assert_eq!(found, Some(regular_demand(number)));
    }
    assert_eq!(subject.last_changes(), Some(changes));
}

pub(in crate::store) fn every_kind_is_put_and_removed_in_one_decision(subject: Subject) {
    let name = samples::medicine("Ibuprofen");
    let prescription = samples::prescription(3, 7, &name);
    let records: Vec<Record> = vec![
        samples::patient(7).into(),
        samples::history_forms(7).swap_remove(1).into(),
        samples::consultation(&prescription).into(),
        samples::diagnosis_forms(3, 7).swap_remove(1).into(),
        prescription.clone().into(),
        samples::invoice(2, &prescription).into(),
        samples::item(&name).into(),
        samples::demand(&name, samples::first_day()).into(),
        samples::regular_demand(&name, 1).into(),
        Counter { series: Series::Invoice, last: 1 }.into(),
        Voided { patient_id: samples::patient_id(8) }.into(),
    ];
    let keys: Vec<_> = records.iter().map(Record::key).collect();
    let mut changes: Vec<_> = records.into_iter().map(Change::Put).collect();
    changes.extend(keys.iter().rev().cloned().map(Change::Remove));
    subject.commit(changes.clone());
    for key in keys {
        assert_eq!(subject.record(key), None);
    }
    assert_eq!(subject.last_changes(), Some(changes));
}
