//! Medicines whose names some stores would confuse, or put in another order.

use care_core::{
    model::{Demand, Item, MedicineKey, Prescription, RegularDemand, Supply},
    store::{Change, Entity, List, Query, RecordKey},
};

use crate::{
    samples,
    store::{clinic, subject::Subject},
};

pub(in crate::store) fn a_medicine_is_found_in_any_spelling(subject: Subject) {
    let day = samples::date("31/01/2026");
    for (put, asked) in [
        ("Ibuprofen  400", " IBUPROFEN 400\n"),
        ("Stra\u{df}e", "STRASSE"),
        ("e\u{301}tain", "\u{c9}TAIN"),
        ("\u{1fc3}", "\u{3b7}\u{3b9}"),
        ("\u{fb03}", "FFI"),
    ] {
        let (put, asked) = (samples::medicine(put), samples::medicine(asked));
        let regular_demand = samples::regular_demand_id(&asked);
        let asked = asked.key().clone();
        subject.commit(vec![
            Change::put(samples::item(&put)),
            Change::put(samples::regular_demand(&put, 1)),
            Change::put(samples::demand(&put, day)),
        ]);
        assert!(subject.get::<Item>(asked.clone()).is_some());
        assert!(subject.get::<RegularDemand>(regular_demand).is_some());
        assert!(subject.get::<Demand>((day, asked)).is_some());
    }
}

pub(in crate::store) fn similar_medicines_stay_apart(subject: Subject) {
    let names = samples::medicines();
    subject.commit(clinic::patients([7]));
    for (name, number) in names.iter().zip(1..) {
        assert_eq!(subject.record(RecordKey::Item(name.key().clone())), None);
        let changes = [Change::put(samples::item(name)), Change::put(samples::regular_demand(name, number))];
        let prescribed = clinic::prescribe(&samples::prescription(number.cast_signed(), 7, name));
        subject.commit(changes.into_iter().chain(prescribed).collect());
    }
    for (name, number) in names.iter().zip(1..) {
        let item = subject.record(RecordKey::Item(name.key().clone()));
        assert_eq!(item.map(|found| found.record), Some(samples::item(name).into()));
        let regular_demand = subject.record(RecordKey::RegularDemand(samples::regular_demand_id(name)));
        assert_eq!(regular_demand.map(|found| found.record), Some(samples::regular_demand(name, number).into()));
        let patient = samples::patient_id(7);
        for key in [Prescription::active(patient, name.key()), Prescription::newest(patient, name.key())] {
            let found = subject.one::<Prescription>(key).map(|found| found.record);
            assert_eq!(found, Some(samples::prescription(number.cast_signed(), 7, name)));
        }
    }
}

pub(in crate::store) fn items_come_in_the_order_of_their_folded_names(subject: Subject) {
    let names = samples::medicines();
    subject.commit(names.iter().rev().map(|name| Change::put(samples::item(name))).collect());
    subject.commit(names.iter().map(|name| Change::put(samples::regular_demand(name, 1))).collect());
    let mut keys: Vec<MedicineKey> = names.iter().map(|name| name.key().clone()).collect();
    keys.sort_by(|a, b| a.as_str().as_bytes().cmp(b.as_str().as_bytes()));
    let listed = |query: &Query| subject.list(query, 100).iter().map(|found| found.record.key()).collect::<Vec<_>>();
    for first in 0..=keys.len() {
        let after = first.checked_sub(1).map(|last| keys[last].clone());
        let left = || keys[first..].iter().cloned();
        assert_eq!(listed(&List::<Item>::all(after.clone())), left().map(Item::key).collect::<Vec<_>>());
        let after = after.map(|key| (key, Supply::EVERY_DAYS));
        let expected = left().map(|key| RegularDemand::key((key, Supply::EVERY_DAYS)));
        assert_eq!(listed(&List::<RegularDemand>::all(after)), expected.collect::<Vec<_>>());
    }
    let between = List::<Item>::all(Some(MedicineKey::from_stored("ibuprofen 4")));
    assert_eq!(subject.list(&between, 1)[0].record.key().id(), "ibuprofen 400");
}
