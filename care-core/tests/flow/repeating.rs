//! Requests that are repeated under one key, and listeners.

use std::{sync::Mutex, thread};

use care_core::{
    error::Error,
    model::{ItemDetails, Patch, PatientDetails, PrescriptionId, Timestamp},
    service::{CareService, ExpectedVersion, Idempotency},
    store::{Limit, MemoryStore, Seq},
};
use futures_executor::block_on;

use crate::clinic::{Clinic, medicine, named};

fn key(key: &str, fingerprint: &str) -> Idempotency {
    Idempotency::new(key).unwrap().with_fingerprint(fingerprint)
}

#[test]
fn a_repetition_is_answered_alike_and_changes_nothing() {
    let clinic = Clinic::new();
    let once = clinic.care.once(key("k", "f"));
    let first = block_on(once.register_patient(named("Ada Example"))).unwrap();
    let journal = clinic.journal();
    assert_eq!(block_on(once.register_patient(named("Ada Example"))).unwrap(), first);
    assert_eq!(clinic.journal(), journal);
    // Another request under the same key is refused; the same key of another owner is independent.
    let other = clinic.care.once(key("k", "g"));
    assert!(matches!(block_on(other.register_patient(named("B"))), Err(Error::Invalid(_))));
    let desk = clinic.care.acting_as("desk").once(key("k", "g"));
    assert_ne!(block_on(desk.register_patient(named("B"))).unwrap().patient_id, first.patient_id);
}

#[test]
fn another_use_case_or_other_arguments_under_one_handle_are_refused() {
    let clinic = Clinic::new();
    let (ada, other) = (clinic.patient(), clinic.patient());
    let once = clinic.care.once(Idempotency::new("k").unwrap());
    let renamed = block_on(once.update_patient(ada, named("Ada"), ExpectedVersion::Any)).unwrap();
    let journal = clinic.journal();
    let used = |refused: Result<(), Error>| match refused {
        Err(Error::Invalid(faults)) => assert_eq!(faults[0].detail, "was used with another request"),
        answered => panic!("{answered:?}"),
    };
    used(block_on(once.update_patient(ada, named("Eve"), ExpectedVersion::Any)).map(drop));
    used(block_on(once.update_patient(other, named("Ada"), ExpectedVersion::Any)).map(drop));
    used(block_on(once.update_patient(ada, named("Ada"), ExpectedVersion::OneOf(Vec::new()))).map(drop));
    used(
        block_on(once.update_patient(
            ada,
            PatientDetails { name: Patch::Clear, ..PatientDetails::default() },
            ExpectedVersion::Any,
        ))
        .map(drop),
    );
    used(block_on(once.register_patient(named("Ada"))).map(drop));
    used(block_on(once.void_patient(ada, ExpectedVersion::Any)));
    used(block_on(once.add_item(medicine("a"), ItemDetails::default())).map(drop));
    used(block_on(once.issue_invoice(PrescriptionId::FIRST)).map(drop));
    assert_eq!(clinic.journal(), journal);
    assert_eq!(block_on(once.update_patient(ada, named("Ada"), ExpectedVersion::Any)).unwrap(), renamed);
}

#[test]
fn a_refusal_is_not_kept() {
    let clinic = Clinic::new();
    let once = clinic.care.once(key("k", "f"));
    let id = care_core::model::PrescriptionId::FIRST;
    assert!(block_on(once.issue_invoice(id)).is_err());
    assert_eq!(clinic.prescribe(clinic.patient(), "a"), id);
    let issued = block_on(once.issue_invoice(id)).unwrap();
    assert_eq!(block_on(once.issue_invoice(id)).unwrap(), issued);
    assert!(issued.is_new);
}

#[test]
fn repetitions_at_once_do_the_work_once() {
    let clinic = Clinic::new();
    thread::scope(|scope| {
        for _ in 0..16 {
            let once = clinic.care.once(key("k", "f"));
            scope.spawn(move || block_on(once.register_patient(named("Ada Example"))).unwrap());
        }
    });
    assert_eq!(clinic.journal().len(), 1);
}

#[test]
fn a_key_is_forgotten_after_a_day() {
    let now = std::sync::Arc::new(Mutex::new("2026-03-15T12:00:00Z".parse::<Timestamp>().unwrap()));
    let clock = now.clone();
    let care = CareService::new(MemoryStore::new()).with_clock(move || *clock.lock().unwrap());
    let register = |name: &str| {
        let once = care.once(key(name, "f"));
        block_on(once.register_patient(named("N"))).unwrap().patient_id.value()
    };
    assert_eq!((register("a"), register("b"), register("c")), (1, 2, 3));
    *now.lock().unwrap() = "2026-03-16T11:59:59Z".parse().unwrap();
    assert_eq!(register("a"), 1);
    *now.lock().unwrap() = "2026-03-16T12:00:00Z".parse().unwrap();
    assert_eq!(register("a"), 4);
    let last = block_on(care.store().journal(Seq::new(3), Limit::items(9))).unwrap().items;
    let removed = last[0].changes().filter(|change| matches!(change, care_core::store::Change::Remove(_)));
    assert_eq!(removed.count(), 1, "a was given again; b and c are not older than a day yet");
    *now.lock().unwrap() = "2026-03-17T12:00:00Z".parse().unwrap();
    register("d");
    let last = block_on(care.store().journal(Seq::new(4), Limit::items(9))).unwrap().items;
    let removed = last[0].changes().filter(|change| matches!(change, care_core::store::Change::Remove(_)));
    assert_eq!(removed.count(), 2, "b and c; a was given again later");
}

#[test]
fn a_listener_hears_every_commit_in_order() {
    let clinic = Clinic::new();
    let mut news = clinic.care.subscribe(Seq::ZERO);
    let heard = thread::scope(|scope| {
        let listener = scope.spawn(move || {
            let mut heard = Vec::new();
            while heard.len() < 40 {
                heard.extend(block_on(news.next(7)).unwrap().into_iter().map(|entry| entry.seq.value()));
            }
            heard
        });
        for _ in 0..40 {
            clinic.patient();
        }
        listener.join().unwrap()
    });
    assert_eq!(heard, (1..=40).collect::<Vec<_>>());
    clinic.care.stop_waiting();
    assert!(block_on(clinic.care.subscribe(Seq::new(40)).next(7)).unwrap().is_empty());
}
