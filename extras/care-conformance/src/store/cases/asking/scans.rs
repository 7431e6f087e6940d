//! Scans: every record, page by page.

use care_core::{
    model::{MedicineKey, Supply},
    store::{Change, Counter, Query, Record, RecordKey, ReplyId, Series, Versioned, Voided},
};

use crate::{
    samples,
    store::{
        clinic,
        subject::{ALL, Subject},
    },
};

/// Returns several records of each kind, put in an order that is no key's.
fn everything() -> Vec<Change> {
    // As a text, the second day would sort before the first one.
    let days = ["31/12/1969", "01/02/2024", "31/01/2025"].map(samples::date);
    let names = ["b", "\u{e9}tain", "a", "B c"].map(samples::medicine);
    let numbers = [10, 9, i64::MAX, 1, 100];
    let mut changes = clinic::patients(numbers);
    for number in numbers {
        let of = samples::prescription(number, number, &names[0]);
        changes.extend(clinic::prescribe(&of));
        changes.extend(samples::diagnosis_forms(number, number).pop().map(Change::put));
        changes.push(Change::put(samples::invoice(number, &of)));
        changes.extend(samples::history_forms(number).pop().map(Change::put));
        let patient_id = samples::patient_id(number / 2 + 20);
        changes.push(Change::put(Voided { patient_id }));
    }
    for name in &names {
        changes.push(Change::put(samples::regular_demand(name, 1)));
        changes.push(Change::put(samples::item(name)));
        changes.extend(days.map(|day| Change::put(samples::demand(name, day))));
    }
    for series in [Series::Consultation, Series::Invoice, Series::Patient, Series::Prescription] {
        changes.push(Change::put(Counter { series, last: 1 }));
    }
    changes.extend(samples::replies().into_iter().map(Change::put));
    changes
}

fn scan(subject: &Subject, after: Option<RecordKey>, limit: usize) -> Vec<Versioned<Record>> {
    subject.list(&Query::All { after }, limit)
}

fn keys(found: &[Versioned<Record>]) -> Vec<RecordKey> {
    found.iter().map(|found| found.record.key()).collect()
}

pub(in crate::store) fn a_scan_holds_every_record_in_the_order_of_keys(subject: Subject) {
    assert!(scan(&subject, None, ALL).is_empty());
    let changes = everything();
    let mut expected: Vec<_> = changes.iter().map(Change::key).collect();
    expected.sort();
    expected.dedup();
    subject.commit(changes);
    let found = scan(&subject, None, ALL);
    assert_eq!(keys(&found), expected);
    for found in found {
        assert_eq!(subject.record(found.record.key()), Some(found));
    }
}

pub(in crate::store) fn pages_of_a_scan_hold_everything_once(subject: Subject) {
    subject.commit(everything());
    let all = scan(&subject, None, ALL);
    for limit in [1, 2, 7, all.len() - 1, all.len()] {
        let (mut walked, mut after) = (Vec::new(), None);
        for _ in 0..=all.len() {
            let page = scan(&subject, after, limit);
            assert!(page.len() <= limit);
            let Some(last) = page.last() else { break };
            after = Some(last.record.key());
            walked.extend(page);
        }
        assert_eq!(walked, all, "in pages of {limit}");
    }
    assert!(scan(&subject, None, 0).is_empty());
}

pub(in crate::store) fn a_scan_goes_on_from_any_key(subject: Subject) {
    subject.commit(everything());
    let all = keys(&scan(&subject, None, ALL));
    let name = |name: &str| MedicineKey::from_stored(name);
    let day = samples::date("01/02/2024");
    let reply = |digit: &str| RecordKey::Reply(ReplyId::parse(&digit.repeat(32)).expect("32 digits"));
    // None of these records is there, except the counter.
    let cursors = [
        RecordKey::Patient(samples::patient_id(50)),
        RecordKey::Voided(samples::patient_id(1)),
        RecordKey::History(samples::patient_id(i64::MAX - 1)),
        RecordKey::Consultation(samples::consultation_id(2)),
        RecordKey::Diagnosis(samples::consultation_id(2)),
        RecordKey::Prescription(samples::prescription_id(99)),
        RecordKey::Invoice(samples::invoice_id(11)),
        RecordKey::Item(name("")),
        RecordKey::Item(name("zzz")),
        RecordKey::Demand((day, name("az"))),
        RecordKey::Demand((day, name("\u{10ffff}"))),
        RecordKey::RegularDemand((name("\u{e9}"), Supply::EVERY_DAYS)),
        RecordKey::Counter(Series::Prescription),
        reply("0"),
        reply("f"),
    ];
    for cursor in cursors {
        let expected: Vec<_> = all.iter().filter(|key| **key > cursor).cloned().collect();
        let found = scan(&subject, Some(cursor.clone()), ALL);
        assert_eq!(keys(&found), expected, "after {cursor:?}");
    }
}
