//! A read sees one moment, even while others write.

use std::{
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::channel,
    },
    thread,
    time::Duration,
};

use care_core::{
    model::{MedicineName, Patient, RegularDemand},
    store::{Change, List, Record, RecordKey, Seen, Stop},
};

use crate::{
    samples,
    store::{
        clinic,
        subject::{ALL, Subject, changes_of},
    },
};

const ROUNDS: u64 = 60;

fn names() -> [MedicineName; 3] {
    ["a", "b", "c"].map(samples::medicine)
}

fn counts(seen: &Seen) -> Result<[u64; 3], Stop> {
    let [a, b, c] = names();
    Ok([count(seen, &a)?, count(seen, &b)?, count(seen, &c)?])
}

fn count(seen: &Seen, name: &MedicineName) -> Result<u64, Stop> {
    let found = seen.get::<RegularDemand>(samples::regular_demand_id(name))?;
    Ok(found.map_or(0, |found| found.record.active_regular))
}

fn all(count: u64) -> Vec<Change> {
    names().iter().map(|name| Change::put(samples::regular_demand(name, count))).collect()
}

/// Runs a writer while two readers repeat their question.
fn while_writing(subject: &Subject, mut write: impl FnMut(u64) + Send, look: impl Fn(&Subject) + Sync) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            let (done, look) = (&done, &look);
            scope.spawn(move || {
                // Each reader asks at least once after the last write.
                let mut last = false;
                while !last {
                    last = done.load(Ordering::SeqCst);
                    look(subject);
                }
            });
        }
        scope.spawn(|| {
            for round in 1..=ROUNDS {
                write(round);
            }
            done.store(true, Ordering::SeqCst);
        });
    });
}

pub(in crate::store) fn a_question_sees_one_moment(subject: Subject) {
    while_writing(
        &subject,
        |round| {
            subject.commit(all(round));
        },
        |subject| {
            let [a, b, c] = subject.read(counts);
            assert!(a == b && b == c, "three moments in one question: {a}, {b}, {c}");
        },
    );
    assert_eq!(subject.ask(counts), [ROUNDS; 3]);
}

pub(in crate::store) fn a_question_sees_one_moment_of_what_changes_apart(subject: Subject) {
    let heard = AtomicU64::new(0);
    let put = |name: &MedicineName, count| vec![Change::put(samples::regular_demand(name, count))];
    while_writing(
        &subject,
        |round| {
            let [a, b, c] = names();
            subject.commit(put(&a, round));
            // The reader never asks for this record.
            subject.commit(put(&c, round));
            subject.commit(put(&b, round));
            heard.store(round, Ordering::SeqCst);
        },
        |subject| {
            let before = heard.load(Ordering::SeqCst);
            let (a, b) = subject.read(|seen| {
                let [a, b, _] = names();
                Ok((count(seen, &a)?, count(seen, &b)?))
            });
            assert!(a == b || a == b + 1, "two moments in one question: {a}, {b}");
            assert!(b >= before, "{before} was answered, and {b} is read");
        },
    );
    assert_eq!(subject.ask(counts), [ROUNDS; 3]);
}

pub(in crate::store) fn a_list_sees_one_moment(subject: Subject) {
    while_writing(
        &subject,
        |round| {
            subject.commit(all(round));
        },
        |subject| {
            let listed = clinic::records(subject.list(&List::<RegularDemand>::all(None), 10));
            let counts: Vec<_> = listed
                .iter()
                .filter_map(|record| match record {
                    Record::RegularDemand(regular_demand) => Some(regular_demand.active_regular),
                    _ => None,
                })
                .collect();
            let whole = counts.len() == 3 && counts.windows(2).all(|pair| pair[0] == pair[1]);
            assert!(whole || counts.is_empty(), "several moments in one list: {counts:?}");
        },
    );
}

pub(in crate::store) fn a_large_decision_appears_at_once(subject: Subject) {
    let query = List::<Patient>::all(None);
    while_writing(
        &subject,
        |round| {
            if round % 4 == 1 {
                subject.commit(clinic::patients(1..=60));
            } else if round % 4 == 3 {
                let gone = (1..=60).map(|n| RecordKey::Patient(samples::patient_id(n)));
                subject.commit(gone.map(Change::Remove).collect());
            }
        },
        |subject| {
            let listed = subject.list(&query, 100).len();
            assert!(listed == 0 || listed == 60, "{listed} of 60 patients");
        },
    );
}

pub(in crate::store) fn the_journal_grows_without_gaps(subject: Subject) {
    while_writing(
        &subject,
        |round| {
            subject.commit(all(round));
        },
        |subject| {
            for entry in subject.entries() {
                let expected = all(entry.seq.value());
                assert_eq!(changes_of(entry), expected);
            }
        },
    );
    assert_eq!(subject.last_seq().value(), ROUNDS);
}

pub(in crate::store) fn a_question_under_way_sees_all_of_a_later_write_or_nothing(subject: Subject) {
    subject.commit(all(1));
    let (begun, begin) = channel();
    let (written, write) = channel();
    thread::scope(|scope| {
        let subject = &subject;
        scope.spawn(move || {
            begin.recv().expect("the question begins");
            subject.commit(all(2));
            // The channel is closed when the question was quicker.
            let _ = written.send(());
        });
        let [a, _, _] = names();
        let mut asked = false;
        // A receiver cannot be shared between threads, so the question owns it.
        let seen = subject.read(move |seen| {
            seen.get::<RegularDemand>(samples::regular_demand_id(&a))?;
            if !asked {
                asked = true;
                begun.send(()).expect("the writer waits");
                // A store whose writers wait for readers lets this time out. Only the result of the read matters.
                let _ = write.recv_timeout(Duration::from_millis(300));
            }
            counts(seen)
        });
        // A store may run a question again from its beginning.
        assert!(seen == [1; 3] || seen == [2; 3], "two moments in one question: {seen:?}");
    });
    assert_eq!(subject.ask(counts), [2; 3]);
}

pub(in crate::store) fn reads_pass_a_decision_under_way(subject: Subject) {
    if !subject.reads_pass_decisions() {
        return;
    }
    subject.put(samples::patient(7));
    let (deciding, decide) = channel();
    let (read, reading) = channel::<()>();
    thread::scope(|scope| {
        let subject = &subject;
        let writer = scope.spawn(move || {
            subject.attempt(move |seen| {
                seen.get::<Patient>(samples::patient_id(7))?;
                deciding.send(()).expect("the reader waits");
                let in_time = reading.recv_timeout(Duration::from_secs(5));
                assert!(in_time.is_ok(), "the reads waited for the decision");
                Ok(clinic::patients([8]))
            })
        });
        decide.recv().expect("the decision begins");
        for _ in 0..20 {
            let seen = subject.read(|seen| {
                let here = seen.get::<Patient>(samples::patient_id(7))?.is_some();
                Ok((here, seen.get::<Patient>(samples::patient_id(8))?.is_some()))
            });
            assert_eq!(seen, (true, false));
        }
        let query = List::<Patient>::all(None);
        assert_eq!(subject.list(&query, ALL).len(), 1);
        assert_eq!(subject.entries().len(), 1);
        read.send(()).expect("the decision waits");
        assert!(matches!(writer.join(), Ok(Ok(Some(_)))));
    });
    assert!(subject.record(RecordKey::Patient(samples::patient_id(8))).is_some());
}
