//! Events of the journal.

use care_core::{
    model::{MedicineName, PatientDetails},
    service::{CareService, ExpectedVersion, NewPrescription},
    store::MemoryStore,
};
use futures_executor::block_on;
use serde_json::Value;

use super::{get, serving, text};

fn page(api: &care_core::rest::Api, query: &str) -> Value {
    serde_json::from_str(text(&get(api, &format!("/events?{query}")))).unwrap()
}

#[test]
fn an_event_has_two_hundred_records_at_most() {
    let care = CareService::new(MemoryStore::new());
    let api = serving(care.clone());
    let patient = block_on(care.register_patient(PatientDetails::default())).unwrap().patient_id;
    for number in 0..200 {
        let medicine = MedicineName::new(format!("Medicine {number}")).unwrap();
        block_on(care.prescribe(patient, NewPrescription::of(medicine))).unwrap();
    }
    block_on(care.void_patient(patient, ExpectedVersion::Any)).unwrap();
    let page = page(&api, "after=201");
    assert_eq!((&page["items"][0]["type"], &page["items"][0]["more"]), (&"patient.voided".into(), &true.into()));
    let records = page["items"][0]["records"].as_array().unwrap();
    assert_eq!(records.len(), 200);
    // The patient is the last of all records, and is always among those that are named.
    assert!(records.iter().any(|record| record["record"] == "Patient" && record["change"] == "remove"));
}

#[test]
fn a_page_of_reads_leads_on() {
    let care = CareService::new(MemoryStore::new());
    let api = serving(care.clone()).with_read_audit();
    block_on(care.register_patient(PatientDetails::default())).unwrap();
    (0..5200).for_each(|_| assert_eq!(get(&api, "/patient/1").status(), 200));
    block_on(care.register_patient(PatientDetails::default())).unwrap();
    let first = page(&api, "after=1");
    assert_eq!((first["items"].as_array().unwrap().len(), &first["seq"]), (0, &5001.into()));
    assert_eq!(first["next"], "5001");
    let rest = page(&api, "after=5001");
    assert_eq!((&rest["items"][0]["seq"], &rest["seq"], &rest["next"]), (&5202.into(), &5202.into(), &Value::Null));
}
