//! The execution of decisions and questions.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use care_core::{
    error::{Error, StoreErrorKind},
    model::{Item, Patient, Prescription, RegularDemand},
    store::{Change, Entity, Key, Lookup, Record, RecordKind, Seq},
};

use crate::{
    samples,
    store::{clinic, subject::Subject},
};

pub(in crate::store) fn sixty_keys_are_answered_one_after_another(subject: Subject) {
    subject.commit(clinic::patients((1..=60).filter(|number| number % 2 == 0)));
    let found = subject.ask(|seen| {
        (1..=60).try_fold(0, |sum, number| {
            let found = seen.get::<Patient>(samples::patient_id(number))?;
            Ok(sum + found.map_or(0, |found| found.record.patient_id.value()))
        })
    });
    assert_eq!(found, (1..=30).map(|half| 2 * half).sum::<i64>());
}

pub(in crate::store) fn keys_asked_for_together_are_answered_each(subject: Subject) {
    let name = samples::medicine("Ibuprofen");
    let prescription = samples::prescription(3, 7, &name);
    subject.commit(clinic::patients((1..=200).filter(|number| number % 2 == 0)));
    subject.commit([clinic::patients([7]), clinic::prescribe(&prescription).into()].concat());
    let keys = move || -> Vec<Key> {
        let patients = (1..=200).map(|number| Patient::key(samples::patient_id(number)).into());
        let of = samples::patient_id(7);
        let keys = patients.chain([
            RecordKind::Prescription.of_patient(of).expect("a kind with an owner"),
            RecordKind::Consultation.of_patient(of).expect("a kind with an owner"),
            Prescription::count_active(of).into(),
            Prescription::active(of, name.key()).into(),
            Item::key(name.key().clone()).into(),
        ]);
        keys.collect()
    };
    let runs = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&runs);
    let found = subject.ask(move |seen| {
        counted.fetch_add(1, Ordering::SeqCst);
        seen.need(keys())?;
        keys().into_iter().enumerate().try_fold(Vec::new(), |mut found, (place, key)| {
            let number = |record: &Record| match record {
                Record::Patient(patient) => patient.patient_id.value(),
                Record::Prescription(prescription) => prescription.prescription_id.value(),
                Record::Consultation(consultation) => consultation.consultation_id.value(),
                other => panic!("{place}: {:?}", other.key()),
            };
            found.push(match seen.lookup(&key)? {
                Lookup::Many(records) => records.iter().map(|found| number(&found.record)).sum(),
                Lookup::Number(number) => number.cast_signed(),
                Lookup::None | Lookup::One(_) | Lookup::TooMany => 0,
            });
            Ok(found)
        })
    });
    let patients = (1..=200).map(|number| if number % 2 == 0 || number == 7 { number } else { 0 });
    let consultation = prescription.consultation_id.value();
    assert_eq!(found, patients.chain([3, consultation, 1, 3, 0]).collect::<Vec<_>>());
    // The question ran twice in a read and twice in a decision.
    assert_eq!(runs.load(Ordering::SeqCst), 4);
}

pub(in crate::store) fn a_decision_that_asks_without_end_is_refused(subject: Subject) {
    // It asks for 200 times as many keys at each step, so that it reaches the limit before its time is over.
    let mut count = 1;
    let refused = subject.attempt(move |seen| {
        count *= 200;
        seen.need((count..2 * count).map(|number| Patient::key(samples::patient_id(number)).into()))?;
        Ok(Vec::new())
    });
    let is_excessive = matches!(&refused, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Excessive);
    assert!(is_excessive, "{refused:?}");
    // Only the decision that panicked is lost.
    assert_eq!(subject.put(samples::patient(7)), Seq::new(1));
}

pub(in crate::store) fn a_decision_that_comes_too_late_is_not_run(subject: Subject) {
    let runs = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&runs);
    let act = samples::act().until(Instant::now());
    let late = subject.attempt_as(act, move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(vec![Change::put(samples::patient(7))])
    });
    assert!(matches!(late, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Busy));
    assert_eq!((runs.load(Ordering::SeqCst), subject.entries().len()), (0, 0));
    let act = samples::act().until(Instant::now() + Duration::from_secs(600));
    let in_time = subject.attempt_as(act, |_| Ok(vec![Change::put(samples::patient(7))]));
    assert!(matches!(in_time, Ok(Some(seq)) if seq == Seq::new(1)));
}

pub(in crate::store) fn a_decision_ends_once_nobody_waits_for_it(subject: Subject) {
    let until = Instant::now() + Duration::from_millis(100);
    let mut number = 0;
    let ended = subject.attempt_as(samples::act().until(until), move |seen| {
        number += 1;
        thread::sleep(Duration::from_millis(10));
        seen.need((1..=number).map(|number| Patient::key(samples::patient_id(number)).into()))?;
        Ok(Vec::new())
    });
    assert!(matches!(ended, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Busy));
    // The decision ended long before the thousands of steps that it would have taken.
    assert!(until.elapsed() < Duration::from_secs(5), "{:?}", until.elapsed());
    assert_eq!(subject.put(samples::patient(7)), Seq::new(1));
}

pub(in crate::store) fn only_the_last_run_counts(subject: Subject) {
    subject.put(samples::patient(7));
    let name = samples::medicine("Ibuprofen");
    let runs = Arc::new(AtomicU64::new(0));
    let (counted, medicine) = (Arc::clone(&runs), name.clone());
    subject
        .attempt(move |seen| {
            let run = counted.fetch_add(1, Ordering::SeqCst) + 1;
            seen.get::<Patient>(samples::patient_id(7))?;
            seen.get::<Patient>(samples::patient_id(8))?;
            Ok(vec![Change::put(samples::regular_demand(&medicine, run))])
        })
        .expect("the decision is taken");
    let last = runs.load(Ordering::SeqCst);
    let found = subject.get::<RegularDemand>(samples::regular_demand_id(&name));
    assert_eq!(found.map(|found| found.record.active_regular), Some(last));
    assert_eq!(subject.entries().len(), 2);
}
