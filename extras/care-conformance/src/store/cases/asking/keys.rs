//! Records under their own keys.

use care_core::{
    model::{Demand, Item, MedicineName, RegularDemand},
    store::{Change, Counter, RecordKey, Series},
};

use crate::{
    samples,
    store::{clinic, subject::Subject},
};

pub(in crate::store) fn a_fresh_store_has_no_record(subject: Subject) {
    for record in clinic::one_of_each_kind() {
        assert_eq!(subject.record(record.key()), None);
    }
}

pub(in crate::store) fn every_kind_of_record_is_found(subject: Subject) {
    let all = clinic::one_of_each_kind();
    let version = subject.commit(all.iter().cloned().map(Change::Put).collect());
    for record in all {
        let found = subject.record(record.key()).map(|found| (found.version, found.record));
        assert_eq!(found, Some((version, record)));
    }
}

pub(in crate::store) fn kinds_with_the_same_number_do_not_meet(subject: Subject) {
    subject.put(samples::patient(7));
    let keys = [
        RecordKey::Voided(samples::patient_id(7)),
        RecordKey::History(samples::patient_id(7)),
        RecordKey::Consultation(samples::consultation_id(7)),
        RecordKey::Diagnosis(samples::consultation_id(7)),
        RecordKey::Prescription(samples::prescription_id(7)),
        RecordKey::Invoice(samples::invoice_id(7)),
    ];
    for key in keys {
        assert_eq!(subject.record(key), None);
    }
    subject.put(clinic::consultation(9, 7));
    assert_eq!(subject.record(RecordKey::Prescription(samples::prescription_id(9))), None);
    assert_eq!(subject.record(RecordKey::Patient(samples::patient_id(9))), None);
}

pub(in crate::store) fn neighbouring_numbers_are_not_found(subject: Subject) {
    subject.commit(clinic::patients([7]));
    for number in [1, 6, 8, 70, 77, i64::MAX] {
        assert_eq!(subject.record(RecordKey::Patient(samples::patient_id(number))), None);
    }
    subject.commit(clinic::patients([i64::MAX]));
    for number in [i64::MAX - 1, i64::from(i32::MAX), 1 << 53, 1] {
        assert_eq!(subject.record(RecordKey::Patient(samples::patient_id(number))), None);
    }
}

pub(in crate::store) fn numbers_beyond_a_double_stay_apart(subject: Subject) {
    let numbers = [(1 << 53) - 1, 1 << 53, (1 << 53) + 1, i64::MAX - 1, i64::MAX];
    for number in numbers {
        subject.put(samples::patient(number));
    }
    for number in numbers {
        let record = subject.record(RecordKey::Patient(samples::patient_id(number)));
        assert_eq!(record.map(|found| found.record), Some(samples::patient(number).into()));
    }
}

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
    for (name, count) in names.iter().zip(1..) {
        assert_eq!(subject.record(RecordKey::Item(name.key().clone())), None);
        subject.commit(vec![Change::put(samples::item(name)), Change::put(samples::regular_demand(name, count))]);
    }
    for (name, count) in names.iter().zip(1..) {
        let item = subject.record(RecordKey::Item(name.key().clone()));
        assert_eq!(item.map(|found| found.record), Some(samples::item(name).into()));
        let regular_demand = subject.record(RecordKey::RegularDemand(samples::regular_demand_id(name)));
        assert_eq!(regular_demand.map(|found| found.record), Some(samples::regular_demand(name, count).into()));
    }
}

pub(in crate::store) fn demand_is_found_by_medicine_and_day(subject: Subject) {
    let [one, other] = ["Ibuprofen", "Paracetamol"].map(samples::medicine);
    let [day, next] = ["31/01/2026", "01/02/2026"].map(samples::date);
    subject.commit(vec![Change::put(samples::demand(&one, day)), Change::put(samples::demand(&other, next))]);
    let found = |name: &MedicineName, day| subject.get::<Demand>((day, name.key().clone())).is_some();
    assert!(found(&one, day) && found(&other, next));
    assert!(!found(&one, next) && !found(&other, day));
    assert!(!found(&one, samples::date("31/01/2025")) && !found(&one, samples::date("30/01/2026")));
}

pub(in crate::store) fn every_series_counts_for_itself(subject: Subject) {
    let all = [Series::Patient, Series::Prescription, Series::Invoice, Series::Consultation];
    for (series, last) in all.into_iter().zip(1..) {
        assert_eq!(subject.get::<Counter>(series), None);
        subject.put(Counter { series, last });
    }
    subject.remove(RecordKey::Counter(Series::Invoice));
    let left = all.map(|series| subject.get::<Counter>(series).map(|found| found.record.last));
    assert_eq!(left, [Some(1), Some(2), None, Some(4)]);
}
