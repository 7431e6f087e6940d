//! The queue, the commits, and their failures.

use std::{
    fs,
    pin::Pin,
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use care_core::{
    error::{Conflict, Error, StoreErrorKind},
    model::{Consultation, ConsultationState, Date, RegularDemand},
    store::{Change, Decision, Journal, Limit, List, RecordKey, Records, Seq},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

use crate::bench::{Bench, act, commit, gate, has, kind, large_patient, patient, seqs, wanting};

type Answer<'a> = Pin<Box<dyn Future<Output = Result<Option<Seq>, Error>> + Send + 'a>>;

/// Queues a decision without waiting for its answer.
fn queue(store: &SqliteStore, decision: Decision) -> Answer<'_> {
    let mut answer: Answer<'_> = Box::pin(store.transact(act(), decision));
    assert!(answer.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    answer
}

/// Returns the change that puts a consultation of an absent patient.
fn orphan() -> Change {
    Change::put(Consultation {
        consultation_id: 1.try_into().unwrap(),
        patient_id: 999.try_into().unwrap(),
        date: Date::new(2026, 1, 31).unwrap(),
        prescription_ids: Vec::new(),
        state: ConsultationState::Open,
        implicit: false,
    })
}

#[test]
fn whatever_waits_shares_one_commit() {
    let bench = Bench::new();
    let store = bench.open();
    commit(&store, vec![Change::put(patient(1000))]).unwrap();
    let log = || fs::metadata(bench.path("care.db-wal")).unwrap().len() / (24 + 4096);
    let before = log();

    let (closed, entered, open) = gate();
    let first = queue(&store, closed);
    entered.recv().unwrap();
    let answers: Vec<_> = (1..=64).map(|number| queue(&store, wanting(vec![Change::put(patient(number))]))).collect();
    open.send(()).unwrap();
    assert_eq!(block_on(first).unwrap(), None);
    for (answer, seq) in answers.into_iter().zip(2..) {
        assert_eq!(block_on(answer).unwrap(), Some(Seq::new(seq)));
    }
    // Each commit logs every page that it changes, and each of these decisions changes at least two pages.
    assert!(log() - before < 64, "{} pages", log() - before);
}

#[test]
fn what_fails_in_a_batch_costs_the_others_nothing() {
    let bench = Bench::new();
    let store = bench.open();
    let (closed, entered, open) = gate();
    let first = queue(&store, closed);
    entered.recv().unwrap();
    let good = queue(&store, wanting(vec![Change::put(patient(1))]));
    let panicking = queue(&store, Box::new(|_| panic!("planted")));
    let refusing = queue(&store, Box::new(|_| Err(Conflict::ItemExists.into())));
    // The first change is written before the schema refuses the second.
    let broken = queue(&store, wanting(vec![Change::put(patient(2)), orphan()]));
    let idle = queue(&store, wanting(Vec::new()));
    let last = queue(&store, wanting(vec![Change::put(patient(3))]));
    drop(open);
    block_on(first).unwrap();
    assert_eq!(block_on(good).unwrap(), Some(Seq::new(1)));
    assert_eq!(kind(block_on(panicking)), StoreErrorKind::Broken);
    assert!(matches!(block_on(refusing), Err(Error::Conflict(Conflict::ItemExists))));
    assert_eq!(kind(block_on(broken)), StoreErrorKind::Broken);
    assert_eq!(block_on(idle).unwrap(), None);
    assert_eq!(block_on(last).unwrap(), Some(Seq::new(2)));
    assert!(has(&store, 1) && !has(&store, 2) && has(&store, 3));
    assert_eq!(seqs(&store), [1, 2]);
}

#[test]
fn a_decision_that_nobody_waits_for_any_longer_is_not_begun() {
    let bench = Bench::new();
    let store = bench.open();
    let (closed, entered, open) = gate();
    let first = queue(&store, closed);
    entered.recv().unwrap();
    drop(queue(&store, wanting(vec![Change::put(patient(1))])));
    drop(store.transact(act(), wanting(vec![Change::put(patient(2))])));
    drop(open);
    block_on(first).unwrap();
    commit(&store, vec![Change::put(patient(3))]).unwrap();
    assert!(!has(&store, 1) && !has(&store, 2) && has(&store, 3));
}

#[test]
fn a_full_queue_refuses_at_once() {
    let bench = Bench::new();
    let store = SqliteStore::options().queue(2).open(bench.database()).unwrap();
    let (closed, entered, open) = gate();
    let first = queue(&store, closed);
    entered.recv().unwrap();
    let waiting = [1, 2].map(|n| queue(&store, wanting(vec![Change::put(patient(n))])));
    let mut refused: Answer<'_> = Box::pin(store.transact(act(), wanting(vec![Change::put(patient(3))])));
    match refused.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => assert_eq!(kind(answer), StoreErrorKind::Busy),
        Poll::Pending => panic!("it waits"),
    }
    drop(open);
    block_on(first).unwrap();
    for answer in waiting {
        block_on(answer).unwrap();
    }
    assert!(has(&store, 2) && !has(&store, 3));
}

#[test]
fn closing_takes_no_longer_than_the_decision_under_way() {
    let bench = Bench::new();
    let store = bench.open();
    let (closed, entered, open) = gate();
    let first = queue(&store, closed);
    entered.recv().unwrap();
    drop(first);
    for number in 1..=100 {
        drop(queue(&store, wanting(vec![Change::put(patient(number))])));
    }
    let opener = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        drop(open);
    });
    drop(store);
    opener.join().unwrap();
    // The futures of the others were dropped.
    assert!(seqs(&bench.open()).is_empty());
}

#[test]
fn somebody_elses_lock_is_waited_for_and_no_longer() {
    let bench = Bench::new();
    let wait = Duration::from_secs(1);
    let store = SqliteStore::options().lock_wait(wait).open(bench.database()).unwrap();
    let stranger = bench.stranger();
    stranger.execute_batch("BEGIN IMMEDIATE").unwrap();
    let started = Instant::now();
    thread::scope(|scope| {
        for number in 1..=8 {
            let store = &store;
            scope.spawn(move || {
                let answer = commit(store, vec![Change::put(patient(number))]);
                assert_eq!(kind(answer), StoreErrorKind::Busy);
            });
        }
        // Reads continue.
        assert!(!has(&store, 1));
        assert!(block_on(store.list(&List::<RegularDemand>::all(None), Limit::items(1))).unwrap().items.is_empty());
        assert!(started.elapsed() < wait);
    });
    // Each decision waits for its own time, not for that of all before it.
    assert!((wait..wait * 6).contains(&started.elapsed()));

    let waiting = queue(&store, wanting(vec![Change::put(patient(9))]));
    stranger.execute_batch("ROLLBACK").unwrap();
    block_on(waiting).unwrap();
    assert_eq!(seqs(&store), [1]);
    assert!(!has(&store, 8) && has(&store, 9));
}

#[test]
fn a_full_file_refuses_cleanly_and_heals() {
    let bench = Bench::new();
    let store = SqliteStore::options().max_bytes(1 << 20).open(bench.database()).unwrap();
    let mut stored = 0;
    let failure = loop {
        let batch = (stored + 1..=stored + 10).map(|n| Change::put(large_patient(n)));
        match commit(&store, batch.collect()) {
            Ok(_) => stored += 10,
            failure => break failure,
        }
        assert!(stored < 1000, "it never fills");
    };
    assert_eq!(kind(failure), StoreErrorKind::Full);
    assert!(stored > 100);
    assert!(has(&store, stored) && !has(&store, stored + 1));
    let entries = stored as u64 / 10;
    assert_eq!(seqs(&store), (1..=entries).collect::<Vec<_>>());

    // There is room again, and the numbers continue without a gap.
    let removed = (1..=10).map(|n| Change::Remove(RecordKey::Patient(patient(n).patient_id)));
    assert_eq!(commit(&store, removed.collect()).unwrap(), Some(Seq::new(entries + 1)));
    commit(&store, vec![Change::put(large_patient(stored + 1))]).unwrap();
    assert!(!has(&store, 1) && has(&store, stored + 1));
}

#[test]
fn the_last_handle_may_go_with_a_decision() {
    let bench = Bench::new();
    let store = std::sync::Arc::new(bench.open());
    let (closed, entered, open) = gate();
    let first = queue(&store, closed);
    entered.recv().unwrap();
    drop(first);
    let own = std::sync::Arc::clone(&store);
    drop(queue(
        &store,
        Box::new(move |_| {
            assert!(std::sync::Arc::strong_count(&own) > 1, "nobody waits for it, so it is not run");
            Ok(vec![Change::put(patient(1))].into())
        }),
    ));
    drop(store);
    drop(open);
    // The store's own thread closes it now; the next owner waits for that.
    assert!(!has(&bench.open(), 1));
}
