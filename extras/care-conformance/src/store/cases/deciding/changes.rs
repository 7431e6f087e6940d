//! The effects of the changes of one decision.

use care_core::{
    model::{Item, MedicineKey, RegularDemand},
    store::{Change, Entity, List, Query, RecordKey, Seq},
};

use crate::{samples, store::subject::Subject};

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
