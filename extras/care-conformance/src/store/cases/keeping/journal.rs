//! The journal holds every change, in order and unaltered.

use std::{collections::HashSet, sync::mpsc::channel, thread, time::Duration};

use care_core::{
    model::{RegularDemand, Timestamp},
    operation::{JournalOperation, Operation},
    service::CareService,
    store::{Act, Change, Entry, Head, Record, RecordKey, Revision, Seq, Series, Voided},
};

use crate::{
    samples,
    store::{
        clinic,
        subject::{ALL, Subject},
    },
};

fn regular_demand(count: u64) -> RegularDemand {
    samples::regular_demand(&samples::medicine("Ibuprofen"), count)
}

fn numbers(entries: &[Entry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.seq.value()).collect()
}

/// The time after which a service must have been told of an entry: a quarter of a second, and what a busy machine
/// takes.
const TOLD: Duration = Duration::from_secs(5);

pub(in crate::store) fn an_entry_says_who_did_what_and_when(subject: Subject) {
    let long = samples::every_plane(256);
    let acts = [
        ("ward-3", Operation::AddPatient.into(), -2_208_988_800_000),
        ("O'Brien \"; --", Operation::PayInvoice.into(), -1),
        ("", JournalOperation::ErasePatient, 0),
        (long.as_str(), Operation::DeletePrescription.into(), 1_769_847_300_123),
        ("\u{5e9}\u{5dc}\u{5d5}\u{5dd}", Operation::UpdatePatient.into(), 253_402_300_799_999),
    ];
    for ((actor, operation, at), count) in acts.into_iter().zip(1..) {
        let at = Timestamp::from_unix_millis(at).expect("a legal instant");
        let act = Act::new(actor, operation, at);
        let change = Change::put(regular_demand(count));
        let mut revisions = vec![Revision::of(change.clone(), Seq::new(count - 1))];
        let (due, actor, operation) = (Seq::new(count), actor.to_owned(), operation.name().into());
        let seq = subject.attempt_as(act, move |_| Ok(vec![change.clone()]));
        assert!(matches!(seq, Ok(Some(seq)) if seq == due));
        let found = subject.entries().pop().expect("an entry");
        revisions[0].salt = found.revisions[0].salt;
        let (reads, erased, link) = (Vec::new(), None, found.link);
        assert_eq!(found, Entry { seq: due, at, actor, operation, revisions, reads, erased, link });
    }
    let instants = |entries: &[u64]| {
        let entries: Vec<_> = entries.iter().copied().map(Seq::new).collect();
        let found = subject.block_on(subject.store().instants(&entries));
        found.map(|found| found.into_iter().map(Timestamp::unix_millis).collect::<Vec<_>>())
    };
    let times = [253_402_300_799_999, -2_208_988_800_000, 0, 253_402_300_799_999];
    assert_eq!(instants(&[5, 1, 3, 5]).ok().as_deref(), Some(&times[..]));
    assert_eq!(instants(&[]).ok().as_deref(), Some(&[][..]));
    assert!(instants(&[1, 6]).is_err(), "there is no entry 6");
}

pub(in crate::store) fn an_entry_holds_the_changes_to_the_letter(subject: Subject) {
    let name = samples::medicine("  IBUPROFEN \t e\u{301}");
    let prescription = samples::prescription(3, 7, &name);
    let day = samples::last_day();
    let forms: Vec<Vec<Record>> = vec![
        samples::patient_forms(7).into_iter().map(Into::into).collect(),
        samples::history_forms(7).into_iter().map(Into::into).collect(),
        samples::consultation_forms(9, 7).into_iter().map(Into::into).collect(),
        samples::diagnosis_forms(9, 7).into_iter().map(Into::into).collect(),
        vec![samples::consultation(&prescription).into()],
        samples::prescription_forms(3, 7, &name).into_iter().map(Into::into).collect(),
        samples::invoice_forms(2, &prescription).into_iter().map(Into::into).collect(),
        samples::item_forms(&name).into_iter().map(Into::into).collect(),
        samples::demand_forms(&name, day).into_iter().map(Into::into).collect(),
        samples::regular_demand_forms(&name).into_iter().map(Into::into).collect(),
        samples::medicines().iter().map(|name| samples::item(name).into()).collect(),
        samples::stock_forms(&name).into_iter().map(Into::into).collect(),
        samples::open_lots(&name).into_iter().map(Into::into).collect(),
        samples::movement_forms(5, &name).into_iter().map(Into::into).collect(),
        samples::stock_day_forms(&name, day).into_iter().map(Into::into).collect(),
        samples::dispensing_forms(5, &name).into_iter().map(Into::into).collect(),
        Series::ALL.into_iter().flat_map(samples::counter_forms).map(Into::into).collect(),
        [8, i64::MAX].map(|number| Voided { patient_id: samples::patient_id(number) }.into()).into(),
    ];
    for records in forms {
        let changes: Vec<_> = records.into_iter().map(Change::Put).collect();
        subject.commit(changes.clone());
        assert_eq!(subject.last_changes(), Some(changes));
    }
    let mut changes = vec![Change::Remove(RecordKey::Invoice(samples::invoice_id(2)))];
    changes.extend(clinic::withdraw(&prescription));
    changes.extend(
        [
            RecordKey::Diagnosis(samples::consultation_id(9)),
            RecordKey::Consultation(samples::consultation_id(9)),
            RecordKey::History(samples::patient_id(7)),
            RecordKey::Patient(samples::patient_id(7)),
            RecordKey::Item(name.key().clone()),
            RecordKey::Demand((day, name.key().clone())),
            RecordKey::RegularDemand(samples::regular_demand_id(&name)),
            RecordKey::Voided(samples::patient_id(i64::MAX)),
        ]
        .map(Change::Remove),
    );
    changes.extend(Series::ALL.map(RecordKey::Counter).map(Change::Remove));
    let reads: Vec<_> = changes.iter().map(Change::key).collect();
    for name in samples::medicines() {
        changes.push(Change::Remove(RecordKey::Item(name.key().clone())));
        changes.push(Change::Remove(RecordKey::Demand((day, name.key().clone()))));
        changes.push(Change::Remove(RecordKey::RegularDemand(samples::regular_demand_id(&name))));
    }
    subject.commit_reading(changes.clone(), reads.clone());
    assert_eq!(subject.entries().pop().map(|entry| entry.reads), Some(reads));
    assert_eq!(subject.last_changes(), Some(changes));
}

pub(in crate::store) fn the_journal_is_read_from_anywhere(subject: Subject) {
    for count in 1..=10 {
        subject.put(regular_demand(count));
    }
    let from = |after, limit| numbers(&subject.journal(Seq::new(after), limit));
    assert_eq!(from(0, 3), [1, 2, 3]);
    assert_eq!(from(3, 3), [4, 5, 6]);
    assert_eq!(from(9, 3), [10]);
    assert_eq!(from(7, 3), [8, 9, 10]);
    assert!(from(10, 3).is_empty());
    assert_eq!(from(4, 1), [5]);
    assert!(from(4, 0).is_empty());
    assert_eq!(from(4, 100), [5, 6, 7, 8, 9, 10]);
}

pub(in crate::store) fn the_journal_takes_any_cursor_and_limit(subject: Subject) {
    for count in 1..=3 {
        subject.put(regular_demand(count));
    }
    assert_eq!(numbers(&subject.journal(Seq::ZERO, usize::MAX)), [1, 2, 3]);
    for after in [3, 4, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
        assert!(subject.journal(Seq::new(after), usize::MAX).is_empty());
    }
}

pub(in crate::store) fn journal_pages_stay_while_entries_are_added(subject: Subject) {
    let mut read = Vec::new();
    for count in 1..=30 {
        subject.put(regular_demand(count));
        if count % 3 == 0 {
            let after = Seq::new(read.len() as u64);
            read.extend(numbers(&subject.journal(after, 2)));
        }
    }
    let after = Seq::new(read.len() as u64);
    read.extend(numbers(&subject.journal(after, ALL)));
    assert_eq!(read, (1..=30).collect::<Vec<_>>());
}

pub(in crate::store) fn every_entry_is_linked_to_the_one_before(subject: Subject) {
    assert_eq!(subject.block_on(subject.store().head()).expect("a head"), Head::START);
    subject.commit(clinic::patients(1..=9));
    subject.remove(RecordKey::Patient(samples::patient_id(4)));
    for count in 1..=20 {
        // The same value again has another salt, and so another link.
        subject.put(regular_demand(count % 2));
    }
    let (entries, mut last) = (subject.entries(), Head::START);
    for entry in &entries {
        assert_eq!(entry.link_after(&last.link).expect("a link"), entry.link);
        last = entry.head();
    }
    assert_eq!(subject.block_on(subject.store().head()).expect("a head"), last);
    let salts = entries.iter().flat_map(|entry| &entry.revisions).filter_map(|revision| revision.salt);
    let salts: HashSet<_> = salts.collect();
    let values = entries.iter().flat_map(Entry::changes).filter(|change| matches!(change, Change::Put(_)));
    assert_eq!(salts.len(), values.count());
}

/// Versions of a record in one of its lives, enough for pointers over long distances.
const LIFE: usize = 40;

pub(in crate::store) fn skip_pointers_lead_to_versions_of_the_last_life(subject: Subject) {
    let item: Record = samples::item(&samples::medicine("Ibuprofen")).into();
    let records = [samples::patient(7).into(), item.clone()];
    let mut versions = [Vec::new(), Vec::new()];
    for life in 1..=2 {
        for _ in 0..LIFE {
            // They take turns, so the entry beside a version of one record is none of it.
            for (record, versions) in records.iter().zip(&mut versions) {
                versions.push(subject.put(record.clone()));
            }
        }
        if life == 1 {
            subject.remove(item.key());
            versions[1].clear();
        }
    }
    for (record, versions) in records.iter().zip(versions) {
        for at in 1..=subject.last_seq().value() {
            let found = subject.block_on(subject.store().skip_pointer(&record.key(), Seq::new(at)));
            let found = found.expect("the store answers");
            assert!(found.is_none_or(|seq| seq.value() >= at && versions.contains(&seq)), "{found:?} from {at} on");
        }
    }
}

pub(in crate::store) fn a_service_is_told_of_an_entry_that_it_has_not_made(subject: Subject) {
    let care = CareService::new(subject.shared());
    let mut news = care.subscribe(Seq::ZERO);
    let (hear, heard) = channel();
    thread::scope(|scope| {
        let subject = &subject;
        scope.spawn(move || hear.send(subject.block_on(news.next(10))));
        // By now the listener waits, or it sees the entry when it begins to: both keep the promise.
        thread::sleep(Duration::from_millis(100));
        subject.put(regular_demand(1));
        let told = heard.recv_timeout(TOLD);
        care.stop_waiting();
        let entries = told.expect("the service is told").expect("the journal is read");
        assert_eq!(numbers(&entries), [1]);
    });
}
