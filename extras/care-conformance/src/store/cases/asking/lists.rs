//! The rules for all lists: order, limits, cursors, versions.

use care_core::{
    model::{Date, Demand, Invoice, Item, MedicineKey, Patient, Prescription, RegularDemand, Supply},
    store::{Change, List, Query, Record, RecordKey, Seq, Versioned},
};

use crate::{
    samples,
    store::{clinic, subject::Subject},
};

pub(crate) fn patients(after: Option<i64>) -> Query {
    let after = after.map(samples::patient_id);
    List::<Patient>::all(after).into()
}

/// Returns the numbers of the patients, prescriptions or invoices in a list.
pub(in crate::store) fn numbers(list: &[Versioned<Record>]) -> Vec<i64> {
    list.iter()
        .map(|found| match &found.record {
            Record::Patient(patient) => patient.patient_id.value(),
            Record::Prescription(prescription) => prescription.prescription_id.value(),
            Record::Invoice(invoice) => invoice.invoice_id.value(),
            other => panic!("no such record belongs in this list: {:?}", other.key()),
        })
        .collect()
}

/// Returns one query of every kind, without a filter and from the start.
fn every_query() -> [Query; 6] {
    [
        patients(None),
        List::<Prescription>::all(None).into(),
        List::<Invoice>::all(None).into(),
        List::<Item>::all(None).into(),
        Demand::list((samples::first_day(), samples::last_day()), None).into(),
        List::<RegularDemand>::all(None).into(),
    ]
}

/// Puts three records into each of the lists.
fn three_of_each(subject: &Subject) {
    let names = ["a", "b", "c"].map(samples::medicine);
    let prescriptions: Vec<Prescription> =
        (1..=3).zip(&names).map(|(number, name)| samples::prescription(number, number, name)).collect();
    subject.commit(clinic::patients(1..=3));
    subject.commit(clinic::prescribe_all(&prescriptions));
    for (of, number) in prescriptions.iter().zip(1..) {
        subject.put(samples::invoice(number, of));
    }
    for name in &names {
        subject.put(samples::item(name));
        subject.put(samples::demand(name, samples::date("31/01/2026")));
        subject.put(samples::regular_demand(name, 1));
    }
}

pub(in crate::store) fn lists_of_a_fresh_store_are_empty(subject: Subject) {
    for query in every_query() {
        assert!(subject.list(&query, 10).is_empty());
    }
}

pub(in crate::store) fn every_list_holds_its_own_kind(subject: Subject) {
    three_of_each(&subject);
    let kinds = ["Patient", "Prescription", "Invoice", "Item", "Demand", "RegularDemand"];
    for (query, kind) in every_query().iter().zip(kinds) {
        let listed: Vec<_> = subject.list(query, 10).iter().map(|found| found.record.key().kind()).collect();
        assert_eq!(listed, [kind; 3]);
    }
}

pub(in crate::store) fn every_list_keeps_its_limit(subject: Subject) {
    three_of_each(&subject);
    for query in every_query() {
        let all = subject.list(&query, 10);
        for limit in [0, 1, 2, 3, 4, 500, usize::MAX] {
            assert_eq!(subject.list(&query, limit), all[..limit.min(3)]);
        }
    }
}

pub(in crate::store) fn a_list_says_what_a_read_says(subject: Subject) {
    three_of_each(&subject);
    for query in every_query() {
        for found in subject.list(&query, 10) {
            assert_eq!(subject.record(found.record.key()), Some(found));
        }
    }
}

pub(in crate::store) fn numbered_lists_ascend(subject: Subject) {
    let order = [i64::MAX, 9, 100, 1, 1 << 40, 10];
    let name = samples::medicine("Ibuprofen");
    for number in order {
        let prescription = samples::prescription(number, number, &name);
        subject.commit(clinic::patients([number]));
        subject.commit(clinic::prescribe(&prescription).into());
        subject.put(samples::invoice(number, &prescription));
    }
    for query in &every_query()[..3] {
        assert_eq!(numbers(&subject.list(query, 10)), [1, 9, 10, 100, 1 << 40, i64::MAX]);
    }
}

pub(in crate::store) fn a_list_follows_changes_and_removals(subject: Subject) {
    subject.commit(clinic::patients(1..=3));
    subject.remove(RecordKey::Patient(samples::patient_id(2)));
    let version = subject.put(samples::patient_forms(3).swap_remove(3));
    let listed = subject.list(&patients(None), 10);
    assert_eq!(numbers(&listed), [1, 3]);
    assert_eq!(listed.iter().map(|found| found.version).collect::<Vec<_>>(), [Seq::new(1), version]);
    assert_eq!(listed[1].record, samples::patient_forms(3).swap_remove(3).into());
}

pub(in crate::store) fn items_come_in_the_order_of_their_folded_names(subject: Subject) {
    let names = samples::medicines();
    subject.commit(names.iter().rev().map(|name| Change::put(samples::item(name))).collect());
    subject.commit(names.iter().map(|name| Change::put(samples::regular_demand(name, 1))).collect());
    let mut keys: Vec<MedicineKey> = names.iter().map(|name| name.key().clone()).collect();
    keys.sort_by(|a, b| a.as_str().as_bytes().cmp(b.as_str().as_bytes()));
    let listed = |query: &Query| -> Vec<MedicineKey> {
        subject
            .list(query, 100)
            .iter()
            .map(|found| match &found.record {
                Record::Item(item) => item.medicine.key().clone(),
                Record::RegularDemand(regular_demand) => regular_demand.medicine.key().clone(),
                other => panic!("no such record belongs in this list: {:?}", other.key()),
            })
            .collect()
    };
    assert_eq!(listed(&List::<Item>::all(None)), keys);
    assert_eq!(listed(&List::<RegularDemand>::all(None)), keys);
    for (index, key) in keys.iter().enumerate() {
        assert_eq!(listed(&List::<Item>::all(Some(key.clone()))), keys[index + 1..]);
        assert_eq!(listed(&List::<RegularDemand>::all(Some((key.clone(), Supply::EVERY_DAYS)))), keys[index + 1..]);
    }
    let between = List::<Item>::all(Some(MedicineKey::from_stored("ibuprofen 4")));
    assert_eq!(subject.list(&between, 1)[0].record.key().id(), "ibuprofen 400");
}

pub(in crate::store) fn demand_comes_by_day_then_by_medicine(subject: Subject) {
    // As texts these days would sort in the opposite order.
    let days = ["31/12/1969", "01/02/2024", "31/01/2025", "02/01/2026"].map(samples::date);
    let names = ["Amoxicillin", "ibuprofen", "Paracetamol"].map(samples::medicine);
    let mut expected = Vec::new();
    for day in days {
        expected.extend(names.each_ref().map(|name| samples::demand(name, day)));
    }
    subject.commit(expected.iter().rev().cloned().map(Change::put).collect());
    let all = |from: Date, to: Date, limit| clinic::records(subject.list(&Demand::list((from, to), None), limit));
    let expected: Vec<Record> = expected.into_iter().map(Into::into).collect();
    assert_eq!(all(samples::first_day(), samples::last_day(), 100), expected);
    assert_eq!(all(samples::first_day(), samples::last_day(), 5), expected[..5]);
    let from = |day: Date, name: &str, limit| {
        let after = Some((day, MedicineKey::from_stored(name)));
        let query = Demand::list((days[1], days[2]), after);
        clinic::records(subject.list(&query, limit))
    };
    assert_eq!(from(days[1], "amoxicillin", 100), expected[4..9]);
    assert_eq!(from(days[1], "b", 2), expected[4..6]);
    assert_eq!(from(days[1], "z", 100), expected[6..9]);
    // A cursor before the period means its beginning; after a cursor behind it there is nothing.
    assert_eq!(from(days[0], "z", 100), expected[3..9]);
    assert!(from(days[3], "", 100).is_empty());
}

pub(in crate::store) fn a_period_includes_its_ends(subject: Subject) {
    let name = samples::medicine("Ibuprofen");
    let days = ["01/01/1900", "30/01/2026", "31/01/2026", "01/02/2026", "31/12/9999"];
    let days = days.map(samples::date);
    subject.commit(days.map(|day| Change::put(samples::demand(&name, day))).into());
    let within = |from: &str, to: &str| -> Vec<Date> {
        let query = Demand::list((samples::date(from), samples::date(to)), None);
        clinic::records(subject.list(&query, 10))
            .into_iter()
            .map(|record| match record {
                Record::Demand(demand) => demand.day,
                other => panic!("no such record belongs in this list: {:?}", other.key()),
            })
            .collect()
    };
    assert_eq!(within("30/01/2026", "01/02/2026"), days[1..4]);
    assert_eq!(within("31/01/2026", "31/01/2026"), days[2..3]);
    assert_eq!(within("01/01/1900", "31/12/9999"), days);
    assert_eq!(within("02/01/1900", "30/12/9999"), days[1..4]);
    assert!(within("02/02/2026", "30/12/9999").is_empty());
    assert!(within("01/02/2026", "30/01/2026").is_empty());
}
