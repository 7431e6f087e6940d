//! Concurrent decisions have the same effect as if they had run one after another.

use std::collections::BTreeSet;

use care_core::{
    error::{Conflict, Error, StoreErrorKind},
    model::{MedicineName, OpenLot, Patient, RegularDemand},
    store::{Change, Entity, List, Record, RecordKind, Seq},
};

use crate::{
    samples,
    store::{
        clinic,
        race::race,
        subject::{Subject, changes_of, planted_panic},
    },
};

const RACERS: usize = 64;

fn name() -> MedicineName {
    samples::medicine("Paracetamol")
}

/// Adds one to the shared count, and returns the entry's number.
fn count_one(subject: &Subject) -> Seq {
    subject
        .attempt(|seen| {
            let regular_demand = seen.get::<RegularDemand>(samples::regular_demand_id(&name()))?;
            let count = regular_demand.map_or(0, |found| found.record.active_regular);
            Ok(vec![Change::put(samples::regular_demand(&name(), count + 1))])
        })
        .expect("the decision is taken")
        .expect("it changes something")
}

fn count(subject: &Subject) -> Option<u64> {
    let found = subject.get::<RegularDemand>(samples::regular_demand_id(&name()));
    found.map(|found| found.record.active_regular)
}

/// Tests that these are the numbers of all entries.
fn are_all_entries(subject: &Subject, seqs: impl IntoIterator<Item = Seq>) {
    let seqs: Vec<_> = seqs.into_iter().collect();
    let distinct: BTreeSet<_> = seqs.iter().copied().collect();
    assert_eq!(distinct.len(), seqs.len(), "no number is given twice");
    let entries: Vec<_> = subject.entries().iter().map(|entry| entry.seq).collect();
    assert_eq!(distinct.into_iter().collect::<Vec<_>>(), entries);
}

pub(in crate::store) fn every_increment_of_a_hot_record_counts(subject: Subject) {
    let seqs = race(RACERS, |_| [(); 8].map(|()| count_one(&subject)));
    assert_eq!(count(&subject), Some(8 * RACERS as u64));
    for own in &seqs {
        assert!(own.is_sorted_by(|a, b| a < b), "what comes later has a later number");
    }
    are_all_entries(&subject, seqs.into_iter().flatten());
    // Each entry holds the count that its own decision saw.
    for entry in subject.entries() {
        let counted = samples::regular_demand(&name(), entry.seq.value());
        assert_eq!(changes_of(entry), [Change::put(counted)]);
    }
}

pub(in crate::store) fn one_racer_creates_a_record(subject: Subject) {
    for round in 1..=4 {
        let won = race(RACERS, |racer| {
            let age = i64::try_from(racer).ok().and_then(|age| age.try_into().ok());
            let patient = Patient { age, ..samples::patient(round) };
            let outcome = subject.attempt(move |seen| match seen.get::<Patient>(patient.patient_id)? {
                Some(_) => Err(Conflict::PatientExists.into()),
                None => Ok(vec![Change::put(patient.clone())]),
            });
            match outcome {
                Ok(Some(seq)) => Some((seq, age)),
                Err(Error::Conflict(Conflict::PatientExists)) => None,
                other => panic!("neither won nor refused: {other:?}"),
            }
        });
        let winners: Vec<_> = won.into_iter().flatten().collect();
        assert_eq!(winners.len(), 1);
        let found = subject.get::<Patient>(samples::patient_id(round));
        assert_eq!(found.map(|found| (found.version, found.record.age)), Some(winners[0]));
    }
    assert_eq!(subject.entries().len(), 4);
}

pub(in crate::store) fn racers_take_from_the_lots_as_the_one_before_left_them(subject: Subject) {
    let ids = ["A", "B", "C"].map(|text| samples::lot(text, Some(samples::last_day())));
    // Each takes a unit from the first lot, and closes it with its last one.
    subject.commit(ids.iter().map(|id| Change::put(samples::open_lot(&name(), id.clone(), 5))).collect());
    race(12, |_| {
        let taken = subject.attempt(|seen| {
            let mut lots = seen.all::<OpenLot>(OpenLot::of_medicine(name().key()))?;
            let Some(first) = lots.next().map(|found| found.record.clone()) else {
                return Err(Error::NotFound(RecordKind::Stock).into());
            };
            Ok(vec![match first.on_hand.value() - 1 {
                0 => Change::Remove(Record::from(first).key()),
                left => Change::put(samples::open_lot(&name(), first.lot_id(), left)),
            }])
        });
        assert!(matches!(taken, Ok(Some(_))), "{taken:?}");
    });
    let found = subject.all::<OpenLot>(OpenLot::of_medicine(name().key()));
    let left: Vec<_> = found.into_iter().map(|found| (found.lot_id(), found.on_hand.value())).collect();
    assert_eq!(left, [(ids[2].clone(), 3)]);
}

pub(in crate::store) fn exactly_what_was_accepted_is_there(subject: Subject) {
    // Of every three concurrent decisions one is taken, one refuses and one panics.
    let outcomes = race(60, |racer| {
        let number = racer as i64 + 1;
        subject.attempt(move |seen| {
            seen.get::<Patient>(samples::patient_id(number))?;
            match number % 3 {
                0 => Ok(clinic::patients([number, number + 100])),
                1 => Err(Error::NotFound(RecordKind::Item).into()),
                _ => planted_panic(),
            }
        })
    });
    let mut seqs = Vec::new();
    for (outcome, number) in outcomes.into_iter().zip(1..) {
        match (number % 3, outcome) {
            (0, Ok(Some(seq))) => seqs.push(seq),
            (1, Err(Error::NotFound(RecordKind::Item))) => {}
            (2, Err(Error::Store(error))) if error.kind() == StoreErrorKind::Broken => {}
            (_, other) => panic!("{number} ended otherwise: {other:?}"),
        }
        for patient in [number, number + 100] {
            let there = subject.get::<Patient>(samples::patient_id(patient));
            assert_eq!(there.is_some(), number % 3 == 0);
        }
    }
    are_all_entries(&subject, seqs);
}

pub(in crate::store) fn racers_on_different_records_all_succeed(subject: Subject) {
    let seqs =
        race(RACERS, |racer| [0, 1, 2, 3].map(|step| subject.put(samples::patient(racer as i64 * 4 + step + 1))));
    are_all_entries(&subject, seqs.into_iter().flatten());
    let patients = subject.ask(|seen| {
        let ids = (1..=RACERS as i64 * 4).map(samples::patient_id);
        seen.need(ids.clone().map(|id| Patient::key(id).into()))?;
        ids.clone().try_fold(0, |sum, id| Ok(sum + usize::from(seen.get::<Patient>(id)?.is_some())))
    });
    assert_eq!(patients, RACERS * 4);
}

pub(in crate::store) fn what_was_answered_is_seen_by_everybody(subject: Subject) {
    // Each racer reads the counts that the others were answered. No racer may see a lower one.
    let answered = std::sync::Mutex::new(Seq::ZERO);
    race(16, |racer| {
        for step in 0..20 {
            if racer % 2 == 0 {
                let seq = count_one(&subject);
                let mut last = answered.lock().expect("nothing panics under it");
                *last = seq.max(*last);
                continue;
            }
            let last = *answered.lock().expect("nothing panics under it");
            let seen = match step % 3 {
                0 => subject.read(|seen| {
                    let regular_demand = seen.get::<RegularDemand>(samples::regular_demand_id(&name()))?;
                    Ok(regular_demand.map_or(Seq::ZERO, |found| found.version))
                }),
                1 => {
                    subject.list(&List::<RegularDemand>::all(None), 1).first().map_or(Seq::ZERO, |found| found.version)
                }
                _ => subject.last_seq(),
            };
            assert!(seen >= last, "{seen} was read after {last} was answered");
        }
    });
    assert_eq!(count(&subject), Some(8 * 20));
}
