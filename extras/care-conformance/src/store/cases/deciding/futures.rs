//! Futures that are dropped, and futures that are awaited together.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
};

use care_core::{
    error::Error,
    model::{Patient, RegularDemand},
    store::{Change, Limit, List, RecordKey, Seen, Seq},
};

use crate::{
    samples,
    store::{
        clinic,
        race::race,
        subject::{Subject, changes_of},
    },
};

type Write<'a> = Pin<Box<dyn Future<Output = Result<Option<Seq>, Error>> + Send + 'a>>;

/// Returns a decision that puts two patients, not yet polled.
fn put_two(subject: &Subject, number: i64) -> Write<'_> {
    let decision = move |seen: &Seen| {
        seen.get::<Patient>(samples::patient_id(number))?;
        Ok(clinic::patients([number, number + 1000]).into())
    };
    subject.store().transact(samples::act(), Box::new(decision))
}

/// Polls a future once and drops it, in the fixture's `block_on`.
fn poll_once<T>(subject: &Subject, mut future: Pin<Box<dyn Future<Output = T> + Send + '_>>) {
    subject.block_on(async move {
        poll_fn(|context| {
            let _ = future.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
    });
}

/// Returns for each of the two patients whether they are there.
fn both(subject: &Subject, number: i64) -> (bool, bool) {
    subject.read(|seen| {
        let first = seen.get::<Patient>(samples::patient_id(number))?.is_some();
        Ok((first, seen.get::<Patient>(samples::patient_id(number + 1000))?.is_some()))
    })
}

/// Tests that each of these decisions happened as a whole or not at all, in the records and in the journal.
fn whole_or_not(subject: &Subject, numbers: impl Iterator<Item = i64> + Clone) {
    // A dropped decision may still run, so the order of the reads matters: what the journal holds now must be in the
    // records afterwards, and what the records hold then must be in the journal after that.
    let is_entered = |number: i64| {
        let changes = clinic::patients([number, number + 1000]);
        subject.entries().into_iter().any(|entry| changes_of(entry) == changes)
    };
    for number in numbers {
        let entered = is_entered(number);
        let (first, second) = both(subject, number);
        assert_eq!(first, second, "half a decision happened");
        assert!(first || !entered, "an entry without its records");
        assert!(!first || is_entered(number), "records without their entry");
    }
}

pub(in crate::store) fn a_future_never_polled_is_whole_or_nothing(subject: Subject) {
    for number in 1..=20 {
        drop(put_two(&subject, number));
    }
    whole_or_not(&subject, 1..=20);
    let seq = subject.block_on(put_two(&subject, 21));
    assert!(matches!(seq, Ok(Some(_))));
    assert_eq!(both(&subject, 21), (true, true));
    whole_or_not(&subject, 1..=21);
}

pub(in crate::store) fn a_dropped_write_is_whole_or_nothing(subject: Subject) {
    for number in 1..=60 {
        poll_once(&subject, put_two(&subject, number));
    }
    whole_or_not(&subject, 1..=60);
    let seq = subject.block_on(put_two(&subject, 61));
    assert!(matches!(seq, Ok(Some(_))));
    whole_or_not(&subject, 1..=61);
}

pub(in crate::store) fn dropped_writes_among_others_harm_nobody(subject: Subject) {
    race(16, |racer| {
        for step in 0..6 {
            let number = racer as i64 * 6 + step + 1;
            if racer % 2 == 0 {
                poll_once(&subject, put_two(&subject, number));
            } else {
                let seq = subject.block_on(put_two(&subject, number));
                assert!(matches!(seq, Ok(Some(_))), "{seq:?}");
            }
        }
    });
    for racer in (1..16).step_by(2) {
        for number in racer * 6 + 1..=racer * 6 + 6 {
            assert_eq!(both(&subject, number), (true, true));
        }
    }
    whole_or_not(&subject, 1..=96);
}

pub(in crate::store) fn dropped_reads_harm_nobody(subject: Subject) {
    subject.put(samples::patient(7));
    let question = |seen: &mut Seen| {
        seen.get::<Patient>(samples::patient_id(7))?;
        Ok(())
    };
    // If a reader were lost each time, the pool would be empty before this ends.
    for _ in 0..40 {
        let mut asked = question;
        poll_once(&subject, subject.store().read(&mut asked));
        let mut never = question;
        drop(subject.store().read(&mut never));
        poll_once(&subject, subject.store().list(&List::<RegularDemand>::all(None), Limit::items(10)));
        poll_once(&subject, subject.store().journal(Seq::ZERO, Limit::items(10)));
    }
    let found = subject.record(RecordKey::Patient(samples::patient_id(7)));
    assert_eq!(found.map(|found| found.record), Some(samples::patient(7).into()));
    assert_eq!(subject.put(samples::patient(8)), Seq::new(2));
}

pub(in crate::store) fn one_task_awaits_many_writes(subject: Subject) {
    let mut waiting: Vec<Option<Write<'_>>> = (1..=64).map(|number| Some(put_two(&subject, number))).collect();
    let mut done = Vec::new();
    let outcomes = subject.block_on(poll_fn(|context| {
        // The futures are polled backwards, so that the order of their creation does not matter.
        for slot in waiting.iter_mut().rev() {
            let Some(write) = slot else { continue };
            if let Poll::Ready(outcome) = write.as_mut().poll(context) {
                done.push(outcome);
                *slot = None;
            }
        }
        if waiting.iter().all(Option::is_none) { Poll::Ready(std::mem::take(&mut done)) } else { Poll::Pending }
    }));
    assert_eq!(outcomes.len(), 64);
    let mut seqs: Vec<_> = outcomes
        .into_iter()
        .map(|outcome| outcome.expect("the decision is taken").expect("it changes something"))
        .collect();
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=64).map(Seq::new).collect::<Vec<_>>());
    whole_or_not(&subject, 1..=64);
}

pub(in crate::store) fn a_future_may_wait_before_it_is_polled(subject: Subject) {
    let late = put_two(&subject, 1);
    subject.put(samples::patient(5));
    let change = subject.attempt(|_| Ok(vec![Change::put(samples::patient(6))]));
    assert!(matches!(change, Ok(Some(_))));
    assert!(matches!(subject.block_on(late), Ok(Some(_))));
    assert_eq!(both(&subject, 1), (true, true));
    assert_eq!(subject.entries().len(), 3);
}
