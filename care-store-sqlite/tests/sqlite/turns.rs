//! A decision that takes long, and the jobs that wait behind it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    task::{Context, Waker},
    thread,
    time::{Duration, Instant},
};

use care_core::{
    error::StoreErrorKind,
    store::{ApiKeys, Change, Decision, Journal, KeyPlan, Outcome, RecordKey, Seen, Seq},
};
use futures_executor::block_on;

use crate::bench::{Bench, act, commit, gate, has, kind, patient, wanting};

/// Returns a decision that asks for one key after the other, slowly, and counts them: their number alone would end it
/// at ten thousand, after 100 s.
fn endless(asked: &Arc<AtomicI64>) -> Decision {
    let asked = Arc::clone(asked);
    Box::new(move |seen: &Seen| {
        thread::sleep(Duration::from_millis(10));
        let number = asked.fetch_add(1, Ordering::SeqCst) + 1;
        seen.need([RecordKey::Patient(patient(number).patient_id).into()])?;
        Ok(Outcome::default())
    })
}

#[test]
fn a_slow_decision_ends_at_its_time_and_those_behind_it_have_their_turn() {
    let bench = Bench::new();
    let (store, asked) = (bench.open(), Arc::default());
    thread::scope(|scope| {
        let slow = scope.spawn(|| kind(block_on(store.transact(act(), endless(&asked)))));
        while asked.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        // Ending a key goes through the same queue as a write.
        let keys = scope.spawn(|| block_on(store.decide_keys(Box::new(|_| KeyPlan::default()))).unwrap());
        commit(&store, vec![Change::put(patient(1))]).unwrap();
        keys.join().unwrap();
        assert_eq!(slow.join().unwrap(), StoreErrorKind::Busy);
        // It was ended for its time. A machine that is busy with other tests only makes these fewer.
        let asked = asked.load(Ordering::SeqCst);
        assert!((64..1000).contains(&asked), "{asked}");
    });
}

#[test]
fn what_was_queued_for_too_long_is_refused_and_not_written() {
    let bench = Bench::new();
    let store = bench.open();
    let (closed, entered, open) = gate();
    thread::scope(|scope| {
        let first = scope.spawn(|| block_on(store.transact(act(), closed)));
        entered.recv().unwrap();
        let until = Instant::now() + Duration::from_millis(30);
        let put = |number| wanting(vec![Change::put(patient(number))]);
        let mut queued = Box::pin(store.transact(act().until(until), put(1)));
        assert!(queued.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        thread::sleep(Duration::from_millis(40));
        drop(open);
        assert_eq!(kind(block_on(queued)), StoreErrorKind::Busy);
        first.join().unwrap().unwrap();
        block_on(store.transact(act(), put(2))).unwrap();
    });
    assert!(!has(&store, 1) && has(&store, 2));
}

#[test]
fn a_batch_that_takes_long_is_answered_in_parts_and_in_order() {
    let bench = Bench::new();
    let store = bench.open();
    let (closed, entered, open) = gate();
    thread::scope(|scope| {
        let first = scope.spawn(|| block_on(store.transact(act(), closed)));
        entered.recv().unwrap();
        let answers: Vec<_> = (1..=20)
            .map(|number| {
                let decision: Decision = Box::new(move |_: &Seen| {
                    thread::sleep(Duration::from_millis(5));
                    let gone = Change::Remove(RecordKey::Patient(patient(99).patient_id));
                    Ok(vec![Change::put(patient(number)), gone].into())
                });
                let mut answer = Box::pin(store.transact(act(), decision));
                assert!(answer.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
                answer
            })
            .collect();
        drop(open);
        for (answer, seq) in answers.into_iter().zip(1..) {
            assert_eq!(block_on(answer).unwrap().map(Seq::value), Some(seq));
        }
        first.join().unwrap().unwrap();
    });
}
