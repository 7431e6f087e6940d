//! Handles, names of actors, listeners, and the clock behind a day, none of which a request over HTTP can see.

use std::{
    sync::{Arc, Mutex},
    thread,
};

use care_core::{
    error::Error,
    model::{
        Currency, Date, Demand, ItemDetails, MedicineKey, Patch, PatientDetails, PrescriptionId, Takings, TakingsKey,
        Timestamp,
    },
    operation::Operation,
    service::{CareService, ExpectedVersion, Idempotency, NewMedicine},
    store::{Change, Limit, MemoryStore, RecordKey, Seq},
};
use futures_executor::block_on;
use serde_json::json;

use crate::clinic::{Clinic, medicine, named};

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
fn a_key_is_forgotten_after_a_day() {
    let now = Arc::new(Mutex::new("2026-03-15T12:00:00Z".parse::<Timestamp>().unwrap()));
    let clock = now.clone();
    let care = CareService::new(MemoryStore::new()).with_clock(move || *clock.lock().unwrap());
    let register = |name: &str| {
        let once = care.once(Idempotency::new(name).unwrap());
        block_on(once.register_patient(named("N"))).unwrap().patient_id.value()
    };
    assert_eq!((register("a"), register("b"), register("c")), (1, 2, 3));
    *now.lock().unwrap() = "2026-03-16T11:59:59Z".parse().unwrap();
    assert_eq!(register("a"), 1);
    *now.lock().unwrap() = "2026-03-16T12:00:00Z".parse().unwrap();
    assert_eq!(register("a"), 4);
    let last = block_on(care.store().journal(Seq::new(3), Limit::items(9))).unwrap().items;
    let removed = last[0].changes().filter(|change| matches!(change, Change::Remove(_)));
    assert_eq!(removed.count(), 1, "a was given again; b and c are not older than a day yet");
    *now.lock().unwrap() = "2026-03-17T12:00:00Z".parse().unwrap();
    register("d");
    let last = block_on(care.store().journal(Seq::new(4), Limit::items(9))).unwrap().items;
    let removed = last[0].changes().filter(|change| matches!(change, Change::Remove(_)));
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

#[test]
fn the_journal_says_who_did_what() {
    let clinic = Clinic::new();
    let desk = clinic.care.acting_as("front desk");
    let patient = block_on(desk.register_patient(named("Ada Example"))).unwrap();
    block_on(clinic.care.update_patient(patient.patient_id, named("Ada B."), ExpectedVersion::Any)).unwrap();
    let entries = clinic.journal();
    let said: Vec<_> =
        entries.iter().map(|e| (e.seq.value(), e.actor.as_str(), &*e.operation, e.at.to_string())).collect();
    let noon = "2026-03-15T12:00:00.000Z".to_owned();
    assert_eq!(said, [(1, "front desk", "addPatient", noon.clone()), (2, "service", "updatePatient", noon)]);
}

#[test]
fn no_change_is_made_under_a_name_that_an_audit_would_refuse() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    for name in ["", " desk", "front\ndesk", &"x".repeat(65)] {
        let care = clinic.care.acting_as(name);
        let at_actor = |refused: Result<(), Error>| match refused {
            Err(Error::Invalid(faults)) => faults.iter().any(|fault| fault.field == "actor"),
            _ => false,
        };
        assert!(at_actor(block_on(care.register_patient(named("Ada Example"))).map(drop)), "{name:?}");
        assert!(at_actor(block_on(care.note_read(Operation::GetPatient, RecordKey::Patient(patient)))), "{name:?}");
        assert!(at_actor(block_on(care.erase_patient(patient)).map(drop)), "{name:?}");
    }
    assert_eq!(clinic.journal().len(), 1);
}

#[test]
fn a_cursor_before_the_period_means_its_beginning() {
    let (early, from) = (Date::from_unix_days(1).unwrap(), Date::from_unix_days(2).unwrap());
    let demand = |after: Option<Date>| {
        let after = after.map(|day| (day, MedicineKey::from_stored("aspirin")));
        format!("{:?}", Demand::list((from, from), after))
    };
    let takings = |after: Option<Date>| {
        let currency = Currency::new("EUR").ok();
        let after = after.map(|day| TakingsKey { day, holder: "desk".into(), currency });
        format!("{:?}", Takings::list((from, from), None, after))
    };
    for terms in [&demand as &dyn Fn(Option<Date>) -> String, &takings] {
        assert_eq!(terms(Some(early)), terms(None));
        assert_ne!(terms(Some(from)), terms(None));
    }
}

#[test]
fn a_new_medicine_is_read_from_json_by_the_rules_of_today() {
    let json = json!({
        "medicine": "Sampleol 250",
        "price": 5,
        "stock": {"unit": "tablet", "packUnits": 20, "opening": [{"lot": "A1", "units": 40}]},
    });
    let new: NewMedicine = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(new.stock.as_ref().unwrap().opening[0].units.value(), 40);
    assert_eq!(serde_json::to_value(&new).unwrap(), json);
    let plain: NewMedicine = serde_json::from_value(json!({"medicine": "Zinc"})).unwrap();
    assert_eq!((plain.details, plain.stock), (ItemDetails::default(), None));
    for broken in [json!({"medicine": ".."}), json!({"medicine": "Zinc", "stock": {"unit": " "}}), json!({})] {
        assert!(serde_json::from_value::<NewMedicine>(broken.clone()).is_err(), "{broken}");
    }
}
