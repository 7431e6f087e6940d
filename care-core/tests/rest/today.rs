//! The records that wait at the front desk are counted up to a bound.

use std::sync::Arc;

use care_core::{
    model::{ItemDetails, MedicineName, PatientDetails, PrescriptionDetails, Price},
    service::{CareService, NewPrescription},
    store::MemoryStore,
};
use futures_executor::block_on;
use futures_util::future::join;
use serde_json::{Value, json};

use super::{get, serving, text};

/// Returns a part of the day, asked for alone.
fn part(care: &CareService, name: &str) -> Value {
    let answer = get(&serving(care.clone()), &format!("/today?part={name}"));
    let mut day: Value = serde_json::from_str(text(&answer)).unwrap();
    day[name].take()
}

fn shown(part: &Value) -> usize {
    part["items"].as_array().unwrap().len()
}

fn medicine(number: usize) -> MedicineName {
    MedicineName::new(format!("M {number}")).unwrap()
}

#[test]
fn a_part_is_counted_to_a_thousand() {
    let care = CareService::new(MemoryStore::new());
    let prescribe = |number: usize| {
        let patient = block_on(care.register_patient(PatientDetails::default())).unwrap().patient_id;
        block_on(care.prescribe(patient, NewPrescription::of(medicine(number)))).unwrap();
    };
    (0..1000).for_each(prescribe);
    for name in ["openVisits", "withoutInvoice"] {
        let found = part(&care, name);
        assert_eq!((&found["count"], &found["more"], shown(&found)), (&json!(1000), &Value::Null, 500), "{name}");
    }
    prescribe(1000);
    for name in ["openVisits", "withoutInvoice"] {
        let found = part(&care, name);
        assert_eq!((&found["count"], &found["more"], shown(&found)), (&json!(1000), &json!(true), 500), "{name}");
    }
    let whole: Value = serde_json::from_str(text(&get(&serving(care), "/today"))).unwrap();
    assert_eq!((&whole["openVisits"]["count"], shown(&whole["openVisits"])), (&json!(1000), 5));
}

#[test]
fn a_part_looks_at_ten_thousand_records() {
    let care = CareService::new(MemoryStore::new());
    let add = |number: usize| {
        let out = ItemDetails { is_available: false.into(), ..ItemDetails::default() };
        block_on(care.add_item(medicine(number), out)).unwrap();
    };
    (0..10_000).for_each(add);
    assert_eq!(part(&care, "outWithDemand"), json!({"count": 0, "items": []}));
    add(10_000);
    assert_eq!(part(&care, "outWithDemand"), json!({"count": 0, "more": true, "items": []}));
}

#[test]
fn a_report_on_orders_is_made_once_for_those_who_ask_at_once() {
    let care = CareService::new(MemoryStore::new());
    for number in 0..50 {
        block_on(care.add_item(medicine(number), ItemDetails::default())).unwrap();
    }
    let (first, second) = block_on(join(care.orders(), care.orders()));
    assert!(Arc::ptr_eq(&first.unwrap(), &second.unwrap()));
}

#[test]
fn takings_that_no_number_holds_exactly_are_left_out_of_the_day() {
    let care = CareService::new(MemoryStore::new());
    for (holder, price) in [("one", (1 << 53) - 1), ("other", 7)] {
        let care = care.acting_as(holder);
        let patient = block_on(care.register_patient(PatientDetails::default())).unwrap().patient_id;
        let details =
            PrescriptionDetails { price: Price::try_from(price).unwrap().into(), ..PrescriptionDetails::default() };
        let new = NewPrescription { details, ..NewPrescription::of(medicine(1)) };
        let prescription = block_on(care.prescribe(patient, new)).unwrap().prescription.prescription_id;
        let invoice = block_on(care.issue_invoice(prescription)).unwrap().invoice.invoice_id;
        block_on(care.pay_invoice(invoice)).unwrap();
    }
    let day = |uri: &str| get(&serving(care.clone()), uri);
    let whole: Value = serde_json::from_str(text(&day("/today"))).unwrap();
    assert_eq!((&whole["left"], &whole["taken"]), (&json!(["taken"]), &Value::Null));
    assert_eq!(whole["unpaid"]["count"], 0);
    assert_eq!(day("/today?part=taken").status(), 409);
}
