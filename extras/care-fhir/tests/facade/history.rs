//! Earlier versions: one of them, and all of them.

use care_core::{
    Api, CareService,
    model::{LotId, MedicineName, Patch, PatientDetails, PatientId, Units},
    service::{ExpectedVersion, NewMovement},
    store::{Limit, RecordKey, Seq},
};
use futures_executor::block_on;
use serde_json::Value;

use crate::clinic::{BASE, all, ask, bundle, clinic, link, refused, send};

fn json(api: &Api, path: &str) -> Value {
    let answer = ask(api, path, "");
    assert_eq!(answer.status(), 200, "{path}: {:?}", answer.body());
    serde_json::from_slice(answer.body()).unwrap()
}

fn version(resource: &Value) -> String {
    resource["meta"]["versionId"].as_str().unwrap().to_owned()
}

/// Sets the age of the first patient, or takes it away.
fn age(care: &CareService, age: Option<u8>) {
    let age = age.map_or(Patch::Clear, |age| Patch::Set(i64::from(age).try_into().unwrap()));
    let details = PatientDetails { age, ..PatientDetails::default() };
    block_on(care.update_patient(PatientId::FIRST, details, ExpectedVersion::Any)).unwrap();
}

#[test]
fn each_version_stays_what_it_was() {
    let (care, api) = clinic();
    let paths = [
        "Patient/1",
        "Observation/1-age",
        "Encounter/1",
        "Condition/1-1",
        // Its visit is counted once its invoice is paid.
        "Condition/2-1",
        "MedicationRequest/1",
        "MedicationDispense/2",
        "Medication/nfrhk4dsn5tgk3q",
        "Invoice/3",
    ];
    let before = paths.map(|path| json(&api, path));
    age(&care, None);
    let key = MedicineName::new("ibuprofen").unwrap();
    block_on(async {
        let (lot, units) = (LotId::default(), Units::try_from(1).unwrap());
        let back = NewMovement::returned(lot, units, 1.try_into().unwrap());
        care.move_stock(key.key().clone(), back).await.unwrap();
        care.pay_invoice(3.try_into().unwrap()).await.unwrap();
        care.void_patient(2.try_into().unwrap(), ExpectedVersion::Any).await.unwrap();
    });
    for (path, before) in paths.iter().zip(&before) {
        let versioned = format!("{path}/_history/{}", version(before));
        assert_eq!(&json(&api, &versioned), before, "{path}");
        let is_current = ask(&api, path, "").body() == ask(&api, &versioned, "").body();
        let status = send(&api, &versioned, &[("api_key", "no admin")]).status();
        // Where the resource is no longer there, no version of it is current.
        let of_others = if path.contains("age") { 404 } else { 403 };
        assert_eq!(status.as_u16(), if is_current { 200 } else { of_others }, "{path}");
        let moved = ["Patient/1", "Observation/1-age", "Condition/2-1", "MedicationDispense/2", "Invoice/3"];
        let moved = moved.contains(path);
        assert_eq!(is_current, !moved, "{path}");
        let tag = format!("W/\"{}\"", version(before));
        assert_eq!(ask(&api, &versioned, "").headers()["etag"], tag);
    }
    assert_eq!(refused(&api, "Observation/1-age").0, 404);
}

#[test]
fn a_version_that_the_record_never_had_is_not_found() {
    let (care, api) = clinic();
    age(&care, Some(37));
    let now = version(&json(&api, "Patient/1"));
    let (epoch, seq) = now.split_once('-').unwrap();
    let seq: u64 = seq.parse().unwrap();
    let others = [
        format!("Patient/1/_history/{epoch}-{}", seq - 1),
        format!("Patient/1/_history/{epoch}-{}", seq + 1),
        format!("Patient/1/_history/{epoch}-0{seq}"),
        format!("Patient/1/_history/0000000000000000-{seq}"),
        format!("Patient/1/_history/{seq}"),
        format!("Patient/9/_history/{now}"),
        format!("Observation/1-height/_history/{now}"),
        format!("Patient/1/_history/{now}/x"),
        "Patient/1/_history/".to_owned(),
    ];
    for path in others {
        assert_eq!(refused(&api, &path).0, 404, "{path}");
    }
    assert_eq!(refused(&api, &format!("Patient/1/_history/{now}?_count=1")).1, "not-supported");
    block_on(care.void_patient(PatientId::FIRST, ExpectedVersion::Any)).unwrap_err();
}

#[test]
fn a_history_goes_back_to_the_first_version() {
    let (care, api) = clinic();
    (40..45).for_each(|years| age(&care, Some(years)));
    let entries = all(&api, "Patient/1/_history");
    let versions: Vec<_> = entries.iter().map(|entry| version(&entry["resource"])).collect();
    let mut ascending = versions.clone();
    ascending.sort_by_key(|version| version.split('-').nth(1).unwrap().parse::<u64>().unwrap());
    assert!(versions.iter().eq(ascending.iter().rev()) && versions.len() == 7, "{versions:?}");
    assert_eq!(entries[0]["resource"], json(&api, "Patient/1"));
    for (place, entry) in entries.iter().enumerate() {
        let is_first = place + 1 == entries.len();
        assert_eq!(entry["fullUrl"], format!("{BASE}/Patient/1"));
        assert_eq!(entry["request"]["method"], if is_first { "POST" } else { "PUT" });
        assert_eq!(entry["request"]["url"], if is_first { "Patient" } else { "Patient/1" });
        assert_eq!(entry["response"]["status"], if is_first { "201" } else { "200" });
        assert_eq!(entry["response"]["etag"], format!("W/\"{}\"", versions[place]));
        assert_eq!(entry["response"]["lastModified"], entry["resource"]["meta"]["lastUpdated"]);
        assert_eq!(entry["search"], Value::Null);
        assert_eq!(json(&api, &format!("Patient/1/_history/{}", versions[place])), entry["resource"]);
    }
    for count in [1, 2, 6, 7] {
        assert_eq!(all(&api, &format!("Patient/1/_history?_count={count}")), entries, "{count}");
    }
    // A write in between moves no page.
    let first = bundle(&api, "Patient/1/_history?_count=3");
    age(&care, Some(50));
    assert_eq!(all(&api, &link(&first, "next").unwrap()), entries[3..]);
    for path in ["Encounter/1", "MedicationRequest/1", "Medication/nfrhk4dsn5tgk3q", "Invoice/2"] {
        let entries = all(&api, &format!("{path}/_history?_count=1"));
        assert_eq!(entries.first().unwrap()["resource"], json(&api, path), "{path}");
        assert_eq!(entries.last().unwrap()["request"]["method"], "POST", "{path}");
    }
    assert_eq!(all(&api, "Invoice/2/_history").len(), 3);
}

#[test]
fn a_history_needs_admin_and_a_record_that_is_there() {
    let (care, api) = clinic();
    let path = "MedicationRequest/3/_history";
    for key in ["no admin", "no prescriptions:read"] {
        assert_eq!(send(&api, path, &[("api_key", key)]).status(), 403, "{key}");
    }
    for other in ["Observation/1-age", "Condition/1-1", "MedicationDispense/2"] {
        assert_eq!(refused(&api, &format!("{other}/_history")).0, 404, "{other}");
    }
    let cursor = link(&bundle(&api, "Invoice/1/_history?_count=1"), "next").unwrap();
    let cursor = cursor.split("_cursor=").nth(1).unwrap();
    for (path, named) in [
        (format!("Invoice/3/_history?_cursor={cursor}"), "_cursor"),
        (format!("Invoice/1/_history?_cursor={cursor}-"), "_cursor"),
        ("Invoice/1/_history?_since=2020".to_owned(), "_since"),
        ("Invoice/1/_history?_count=0".to_owned(), "_count"),
    ] {
        let (status, _, of) = refused(&api, &path);
        assert_eq!((status, of.as_deref()), (400, Some(named)), "{path}");
    }
    let current = version(&json(&api, "Invoice/3"));
    block_on(care.cancel_invoice(3.try_into().unwrap(), ExpectedVersion::Any)).unwrap();
    block_on(care.withdraw_prescription(3.try_into().unwrap(), ExpectedVersion::Any)).unwrap();
    for path in [path, "Invoice/3/_history", &format!("Invoice/3/_history/{current}")] {
        assert_eq!(refused(&api, path).0, 410, "{path}");
    }
    for path in ["Patient/9/_history", "Medication/x/_history"] {
        assert_eq!(refused(&api, path).0, 404, "{path}");
    }
}

#[test]
fn reads_of_versions_are_audited() {
    let (care, api) = clinic();
    let before = version(&json(&api, "Patient/1"));
    age(&care, Some(37));
    let api = api.with_read_audit();
    let journal = || block_on(care.store().journal(Seq::ZERO, Limit::ALL)).unwrap().items;
    let so_far = journal().len();
    for path in
        [&*format!("Patient/1/_history/{before}"), "Encounter/2/_history", "Medication/pjuw4yy/_history", "Encounter"]
    {
        assert_eq!(ask(&api, path, "").status(), 200);
    }
    let noted: Vec<_> =
        journal().split_off(so_far).into_iter().map(|entry| (entry.operation.to_string(), entry.reads)).collect();
    assert_eq!(
        noted,
        [
            ("fhirVread".to_owned(), vec![RecordKey::Patient(PatientId::FIRST)]),
            ("fhirHistory".to_owned(), vec![RecordKey::Consultation(2.try_into().unwrap())]),
        ]
    );
}
