//! The schemas allow exactly the values that the model accepts: every character, every kind of day, both ends of every
//! range.

use care_core::model::{Address, Currency, Date, Disease, Email, MedicineName, Name, ShortText};
use proptest::{prelude::*, sample::select, test_runner::RngSeed};
use serde_json::{Value, json};

use crate::{
    bodies::any_record,
    clinic::{Clinic, JSON, assert_foretold, escaped},
    description::{DOCUMENT, operation},
    needs::before,
    schema,
};

/// Returns whether the schema of this record's member allows the value.
fn allows(record: &str, member: &str, value: impl Into<Value>) -> bool {
    let schema = &DOCUMENT["components"]["schemas"][record]["properties"][member];
    schema::faults(schema, &value.into()).is_empty()
}

#[test]
fn every_character_is_judged_alike() {
    // Beyond the basic plane the patterns exclude nothing, and the model excludes only the last two characters of each
    // plane.
    let basic = (0..=0xffff).chain((1..=16).flat_map(|plane| [plane << 16, plane << 16 | 0xffff]));
    for c in basic.filter_map(char::from_u32).filter(|c| *c != '\r') {
        let text = c.to_string();
        assert_eq!(allows("Patient", "gender", &*text), ShortText::new(&text).is_ok(), "{c:?}");
        assert_eq!(allows("Patient", "name", &*text), Name::new(&text).is_ok(), "{c:?}");
        let email = format!("a{c}@b");
        assert_eq!(allows("Patient", "email", &*email), Email::new(&email).is_ok(), "{c:?}");
        let dot = format!("{c}.");
        // The pattern of a medicine names no ignorable characters beyond the basic plane.
        if c != '\u{e0000}' {
            assert_eq!(allows("Prescription", "medicine", &*dot), MedicineName::new(&dot).is_ok(), "{c:?}");
        }
    }
}

#[test]
fn lengths_end_where_the_model_ends_them() {
    type Check = fn(&str) -> bool;
    let texts: [(&str, &str, usize, Check); 6] = [
        ("Patient", "name", Name::MAX, |text| Name::new(text).is_ok()),
        ("Patient", "gender", ShortText::MAX, |text| ShortText::new(text).is_ok()),
        ("Patient", "address", Address::MAX, |text| Address::new(text).is_ok()),
        ("HistoryEntry", "disease1", Disease::MAX, |text| Disease::new(text).is_ok()),
        ("Inventory", "medicine", MedicineName::MAX, |text| MedicineName::new(text).is_ok()),
        ("Patient", "email", Email::MAX - 2, |text| Email::new(text).is_ok()),
    ];
    for (record, member, max, is_taken) in texts {
        for (length, expected) in [(1, true), (max, true), (max + 1, false)] {
            let tail = if member == "email" { "@b" } else { "" };
            for c in ["x", "é", "\u{10ffff}"] {
                let text = c.repeat(length) + tail;
                assert_eq!(is_taken(&text), expected, "{record} {member} {length}");
                assert_eq!(allows(record, member, text), expected, "{record} {member} {length}");
            }
        }
    }
}

#[test]
fn days_are_those_of_the_calendar() {
    let years = [0, 1582, 1899, 1900, 1904, 1999, 2000, 2023, 2024, 2100, 2400, 3600, 9900, 9996, 9999];
    for (year, month, day) in
        years.into_iter().flat_map(|y| (0..=13).flat_map(move |m| (0..=32).map(move |d| (y, m, d))))
    {
        let text = format!("{day:02}/{month:02}/{year:04}");
        assert_eq!(allows("Patient", "lastvisit", &*text), text.parse::<Date>().is_ok(), "{text}");
    }
    // Every leap day, existing or not.
    for year in 1900..=9999 {
        let text = format!("29/02/{year}");
        assert_eq!(allows("Patient", "lastvisit", &*text), text.parse::<Date>().is_ok(), "{text}");
    }
}

#[test]
fn currencies_are_the_active_ones() {
    let listed = DOCUMENT["components"]["schemas"]["Currency"]["enum"].as_array().unwrap();
    let active: Vec<_> = Currency::all().map(|code| json!(code.to_string())).collect();
    assert_eq!(*listed, active);
    for code in ["eur", "EURO", ""] {
        assert!(!allows("PrescriptionInput", "currency", code) && !allows("Prescription", "currency", code), "{code}");
    }
    // An answer may hold a code that was withdrawn since it was stored.
    assert!(!allows("PrescriptionInput", "currency", "BGN") && allows("Prescription", "currency", "BGN"));
}

/// Sends the body, and tests that the service refuses its values if and only if the schema does.
fn assert_judged_alike(id: &str, body: &Value) {
    let mut body = body.clone();
    // No schema says that an age follows from a day of birth.
    if body["birthDate"].as_str().is_some_and(|day| day.parse::<Date>().is_ok()) {
        body.as_object_mut().unwrap().remove("age");
    }
    let body = &body;
    let operation = operation(id);
    let schema = &operation.node["requestBody"]["content"][JSON]["schema"];
    let clinic = Clinic::after(&before(id));
    let mut request = clinic.example(operation, JSON);
    // The path must name the same medicine as the body.
    let medicine = body["medicine"].as_str().filter(|medicine| MedicineName::new(*medicine).is_ok());
    if let (Some(medicine), true) = (medicine, operation.path.contains("{medicine}")) {
        *request.uri_mut() = format!("/1.0.0/inventory/{}", escaped(&json!(medicine))).parse().unwrap();
    }
    *request.body_mut() = body.to_string().into();
    let answer = clinic.send(request);
    assert_foretold(operation, &answer);
    let faults = schema::faults(schema, body);
    let is_refused = [400, 422].contains(&answer.status().as_u16());
    assert_eq!(is_refused, !faults.is_empty(), "{id}: {body} is answered {answer:?}, but {faults:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600,
        failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn bodies_are_refused_if_and_only_if_their_schema_refuses_them(
        (id, body) in select(&[
            "addPatient", "updatePatient", "addPrescription", "updatePrescription", "addMedicine",
            "updateMedicine", "addConsultation",
        ][..])
        .prop_flat_map(|id| {
            let schema = &operation(id).node["requestBody"]["content"][JSON]["schema"];
            (Just(id), any_record(schema, 0))
        })
    ) {
        assert_judged_alike(id, &body);
    }

    #[test]
    fn texts_are_judged_alike(text in "[\\PC\t\n .@\u{0}-\u{9}\u{b}\u{1f}\u{7f}-\u{a0}\u{2028}\u{feff}]{0,8}") {
        prop_assert_eq!(allows("Patient", "gender", &*text), ShortText::new(&text).is_ok());
        prop_assert_eq!(allows("Patient", "name", &*text), Name::new(&text).is_ok());
        prop_assert_eq!(allows("Patient", "email", &*text), Email::new(&text).is_ok());
        prop_assert_eq!(allows("Inventory", "medicine", &*text), MedicineName::new(&text).is_ok());
    }
}
