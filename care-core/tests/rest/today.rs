//! The records that wait at the front desk are counted up to a bound.

use std::sync::Arc;

use care_core::{
    model::{Currency, InvoiceId, ItemDetails, MedicineName, Patch, PatientDetails, PrescriptionDetails, Price},
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

/// Has a visitor pay this at the desk of a holder.
fn pay(care: &CareService, holder: &str, price: i64, currency: Option<&str>) {
    let invoice = bill(care, price, currency);
    block_on(care.acting_as(holder).pay_invoice(invoice)).unwrap();
}

fn bill(care: &CareService, price: i64, currency: Option<&str>) -> InvoiceId {
    let patient = block_on(care.register_patient(PatientDetails::default())).unwrap().patient_id;
    let currency = currency.map_or(Patch::Keep, |code| Currency::new(code).unwrap().into());
    let price = Price::try_from(price).unwrap().into();
    let details = PrescriptionDetails { price, currency, ..PrescriptionDetails::default() };
    let new = NewPrescription { details, ..NewPrescription::of(medicine(1)) };
    let prescription = block_on(care.prescribe(patient, new)).unwrap().prescription.prescription_id;
    block_on(care.issue_invoice(prescription)).unwrap().invoice.invoice_id
}

const MOST: i64 = (1 << 53) - 1;

#[test]
fn sums_that_no_number_holds_exactly_are_left_out_and_their_currencies_named() {
    let care = CareService::new(MemoryStore::new());
    for (holder, price, currency) in [
        ("one", MOST, Some("EUR")),
        ("other", 7, Some("EUR")),
        ("one", 5, Some("KES")),
        ("one", MOST, None),
        ("other", 1, None),
    ] {
        pay(&care, holder, price, currency);
    }
    for currency in [Some("KES"), Some("KES"), None] {
        bill(&care, MOST, currency);
    }
    let day = |uri: &str| get(&serving(care.clone()), uri);
    for uri in ["/today", "/today?part=taken"] {
        let day: Value = serde_json::from_str(text(&day(uri))).unwrap();
        let taken: Value = day["taken"].as_array().unwrap().iter().map(|total| total["currency"].clone()).collect();
        assert_eq!((taken, &day["left"]), (json!(["KES"]), &Value::Null), "{uri}");
        assert_eq!(day["beyond"], json!(["EUR", ""]), "{uri}");
    }
    let unpaid = part(&care, "unpaid");
    assert_eq!((&unpaid["count"], &unpaid["totals"]), (&json!(3), &json!([{"amount": MOST}])));
    assert_eq!(unpaid["beyond"], json!(["KES"]));
}
