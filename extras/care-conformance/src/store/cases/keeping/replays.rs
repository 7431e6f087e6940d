//! The journal of one store, replayed into another.

use care_core::{
    model::Timestamp,
    operation::{JournalOperation, Operation},
    store::{
        Act, Change, Counter, Entry, Journal, Limit, MemoryStore, Outcome, Query, RecordKey, Records, ReplayError, Seq,
        Series, Voided,
    },
};

use crate::{
    samples,
    store::{
        clinic,
        race::race,
        subject::{ALL, Subject},
    },
};

/// Returns a store with a history: several actors at several times, every kind of record, and removals.
fn original() -> MemoryStore {
    let store = MemoryStore::new();
    let name = samples::medicine(" IBUPROFEN \t e\u{301}");
    let of = samples::prescription(3, 7, &name);
    let day = samples::last_day();
    let (invoice_id, patient_id) = (samples::invoice_id(5), samples::patient_id(8));
    let counter = |series, last| Change::put(Counter { series, last });
    let mut decisions = vec![
        clinic::patients(1..=9),
        clinic::prescribe(&of).into(),
        vec![Change::put(samples::invoice(5, &of)), counter(Series::Invoice, 5), Change::put(samples::item(&name))],
        vec![Change::put(samples::demand(&name, day))],
        samples::replies().into_iter().map(Change::put).collect(),
        vec![
            Change::put(clinic::completed(&of)),
            Change::Remove(RecordKey::Invoice(invoice_id)),
            counter(Series::Invoice, 6),
        ],
        vec![Change::Remove(RecordKey::Patient(patient_id)), Change::put(Voided { patient_id })],
        Vec::new(),
        vec![Change::Remove(RecordKey::Demand((day, name.key().clone())))],
        vec![Change::put(samples::regular_demand(&name, 3))],
    ];
    decisions.extend(samples::history_forms(7).pop().map(|h| vec![Change::put(h)]));
    let operations = [Operation::AddPatient.into(), Operation::PayInvoice.into(), JournalOperation::ImportPatients];
    for (changes, number) in decisions.into_iter().zip(0_i64..) {
        let at = Timestamp::from_unix_millis(number * 86_400_123 - 1).expect("a legal instant");
        let act = Act::new(format!("ward \u{e9} {number}"), operations[number as usize % 3], at);
        // Every second entry notes a read, and one does nothing else.
        let reads = [samples::patient_id(7), patient_id].map(RecordKey::Patient);
        let reads = if number % 2 == 1 { reads.into() } else { Vec::new() };
        let outcome = Outcome { changes, reads, erased: None };
        let decision = Box::new(move |_: &_| Ok(outcome.clone()));
        let seq = futures_executor::block_on(store.transact(act, decision));
        assert!(matches!(seq, Ok(Some(_))));
    }
    store
}

fn entries(store: &MemoryStore) -> Vec<Entry> {
    futures_executor::block_on(store.journal(Seq::ZERO, Limit::ALL)).expect("a memory store answers").items
}

fn replay(subject: &Subject, entries: &[Entry]) -> Result<(), ReplayError> {
    subject.block_on(subject.store().replay(entries.to_vec()))
}

/// Tests that the store is the same as the other one, versions and journal included.
fn is_same(subject: &Subject, other: &MemoryStore) {
    let all = Query::All { after: None };
    let expected = futures_executor::block_on(other.list(&all, Limit::ALL));
    let expected = expected.expect("a memory store answers").items;
    assert_eq!(subject.list(&all, ALL), expected);
    for found in expected {
        assert_eq!(subject.record(found.record.key()), Some(found));
    }
    assert_eq!(subject.entries(), entries(other));
}

/// Tests that the store refuses these entries without writing anything.
fn is_refused(subject: &Subject, given: &[Entry], due: u64, found: u64) {
    let (records, journal) = (Query::All { after: None }, subject.entries());
    let before = subject.list(&records, ALL);
    let (due, came) = (Seq::new(due), Seq::new(found));
    match replay(subject, given) {
        Err(ReplayError::NotNext { expected, found }) => assert_eq!((expected, found), (due, came)),
        other => panic!("such entries are refused, not answered with {other:?}"),
    }
    assert_eq!(subject.list(&records, ALL), before);
    assert_eq!(subject.entries(), journal);
}

pub(in crate::store) fn a_replayed_journal_makes_the_same_store(subject: Subject) {
    let original = original();
    replay(&subject, &entries(&original)).expect("an empty store takes any journal");
    is_same(&subject, &original);
}

pub(in crate::store) fn a_replay_goes_on_where_the_journal_ends(subject: Subject) {
    let original = original();
    for some in entries(&original).chunks(3) {
        replay(&subject, some).expect("these come next");
    }
    is_same(&subject, &original);
}

pub(in crate::store) fn decisions_go_on_where_a_replay_ends(subject: Subject) {
    let original = entries(&original());
    replay(&subject, &original).expect("an empty store takes any journal");
    let due = original.len() as u64 + 1;
    assert_eq!(subject.put(samples::patient(10)), Seq::new(due));
    let entries = subject.entries();
    assert_eq!(entries[..original.len()], original);
    assert_eq!(entries[original.len()].link_after(&original[original.len() - 1].link).expect("a link"), {
        subject.block_on(subject.store().head()).expect("a head").link
    });
}

pub(in crate::store) fn a_replay_of_nothing_writes_nothing(subject: Subject) {
    subject.put(samples::patient(1));
    replay(&subject, &[]).expect("nothing is always next");
    assert_eq!(subject.last_seq(), Seq::new(1));
}

pub(in crate::store) fn a_replay_after_a_gap_is_refused(subject: Subject) {
    let entries = entries(&original());
    is_refused(&subject, &entries[1..], 1, 2);
    replay(&subject, &entries[..4]).expect("an empty store takes any journal");
    is_refused(&subject, &entries[5..], 5, 6);
    let zero = Entry { seq: Seq::ZERO, ..entries[4].clone() };
    is_refused(&subject, &[zero], 5, 0);
}

pub(in crate::store) fn a_replay_of_what_is_there_is_refused(subject: Subject) {
    let entries = entries(&original());
    replay(&subject, &entries[..4]).expect("an empty store takes any journal");
    is_refused(&subject, &entries[..4], 5, 1);
    is_refused(&subject, &entries[3..], 5, 4);
    is_refused(&subject, &entries, 5, 1);
}

pub(in crate::store) fn a_replay_that_breaks_off_writes_nothing(subject: Subject) {
    let mut entries = entries(&original());
    entries.remove(6);
    is_refused(&subject, &entries, 7, 8);
    entries.truncate(6);
    entries.push(entries[5].clone());
    is_refused(&subject, &entries, 7, 6);
}

pub(in crate::store) fn an_entry_that_changes_nothing_is_not_replayed(subject: Subject) {
    let mut entries = entries(&original());
    entries[2].revisions.clear();
    entries[2].reads.clear();
    let refused = replay(&subject, &entries);
    assert!(matches!(refused, Err(ReplayError::Empty(seq)) if seq == Seq::new(3)));
    assert!(subject.entries().is_empty());
}

pub(in crate::store) fn a_replay_that_does_not_follow_the_chain_is_refused(subject: Subject) {
    let entries = entries(&original());
    let mut changed = entries.clone();
    changed[2].actor = "another".to_owned();
    assert!(matches!(replay(&subject, &changed), Err(ReplayError::Unlinked(seq)) if seq == Seq::new(3)));
    assert!(subject.entries().is_empty());
    // The number is right, but the first entry is another one.
    assert_eq!(subject.commit(clinic::patients(1..=9)), entries[0].seq);
    assert!(matches!(replay(&subject, &entries[1..]), Err(ReplayError::Unlinked(seq)) if seq == Seq::new(2)));
    assert_eq!(subject.entries().len(), 1);
}

pub(in crate::store) fn racers_replay_once(subject: Subject) {
    let original = original();
    let entries = entries(&original);
    let replayed = race(8, |_| replay(&subject, &entries).is_ok());
    assert_eq!(replayed.iter().filter(|done| **done).count(), 1);
    is_same(&subject, &original);
}

pub(in crate::store) fn a_replay_is_there_after_reopening(subject: Subject) {
    let original = original();
    replay(&subject, &entries(&original)).expect("an empty store takes any journal");
    let Some(subject) = subject.reopen() else {
        return;
    };
    is_same(&subject, &original);
}
