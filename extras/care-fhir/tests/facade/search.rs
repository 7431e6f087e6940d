//! Searches.

use std::{
    future::Future as _,
    pin::pin,
    task::{Context, Waker},
};

use bytes::Bytes;
use care_core::{
    Api,
    model::{Address, MedicineName, Patch, PatientDetails, PatientId},
    rest::Limits,
    service::ExpectedVersion,
};
use futures_executor::block_on;
use http::Request;
use serde_json::Value;

use crate::clinic::{BASE, api, ask, bundle, clinic, entries, found, link, refused};

#[test]
fn each_search_finds_what_it_says() {
    let (_, api) = clinic();
    for (path, ids) in [
        ("Patient", &["1", "2", "3"][..]),
        ("Patient?name=ada", &["1", "2"]),
        ("Patient?name=ADA%20%20e", &["1"]),
        ("Patient?name=ada&name=adam", &["2"]),
        ("Patient?name=ada&name=bo", &[]),
        ("Patient?phone=%2B4-42", &["2"]),
        ("Patient?phone=%2B4%20(0)42", &["2"]),
        ("Patient?phone=004-42", &["2"]),
        ("Patient?phone=tel:442", &["2"]),
        ("Patient?phone=0442", &[]),
        ("Patient?phone=none", &[]),
        ("Patient?email=443@example.org", &["3"]),
        ("Patient?email=443@EXAMPLE.org", &[]),
        ("Patient?email=%7C443@example.org", &["3"]),
        ("Patient?email=work%7C443@example.org", &[]),
        ("Patient?phone=%7C442", &["2"]),
        ("Patient?phone=home%7C442", &[]),
        ("Patient?phone=home%7C", &[]),
        ("Patient?email=443", &[]),
        ("Patient?identifier=2", &["2"]),
        ("Patient?identifier=urn:x/patient%7C2", &["2"]),
        ("Patient?identifier=urn:y/patient%7C2", &[]),
        ("Patient?identifier=urn:x/patient%7C", &["1", "2", "3"]),
        ("Patient?identifier=urn:x/patient%7C&identifier=2", &["2"]),
        ("Patient?identifier=urn:x/patient%7C&name=bo", &["3"]),
        ("Patient?identifier=urn:y/patient%7C", &[]),
        ("Patient?identifier=%7C2", &[]),
        ("Patient?identifier=2&name=ada", &["2"]),
        ("Patient?identifier=2&name=bo", &[]),
        ("Patient?_id=3,1,9,x", &["1", "3"]),
        ("Patient?_id=3,1&_id=1", &["1"]),
        ("Patient?_id=%7C3,x%7C1,x%7C", &["3"]),
        ("Patient?_id=1,2,3&name=ada", &["1", "2"]),
        ("Patient?_id=1,2,3&email=443@example.org", &["3"]),
        ("Patient?_id=7&_count=2", &[]),
        ("Observation?patient=1", &["1-age", "1-weight"]),
        ("Observation?subject=Patient/1&code=29463-7", &["1-weight"]),
        ("Observation?patient=1&code=http://loinc.org%7C30525-0", &["1-age"]),
        ("Observation?patient=1&code=http://loinc.org%7C", &["1-age", "1-weight"]),
        ("Observation?patient=1&code=urn:y%7C30525-0", &[]),
        ("Observation?patient=1&code=urn:y%7C", &[]),
        ("Observation?patient=1&code=%7C30525-0", &[]),
        ("Observation?patient=1&category=http://terminology.hl7.org/CodeSystem/observation-category%7C", &["1-weight"]),
        ("Observation?patient=1&category=vital-signs", &["1-weight"]),
        ("Observation?patient=1&category=laboratory", &[]),
        ("Observation?_id=1-age,2-weight", &["1-age", "2-weight"]),
        ("Observation?_id=1-age,2-weight&patient=2", &["2-weight"]),
        ("Observation?patient=9", &[]),
        ("Encounter", &["1", "2"]),
        ("Encounter?patient=1&status=finished", &["1"]),
        ("Encounter?status=in-progress", &["2"]),
        ("Encounter?status=in-progress,finished", &["1", "2"]),
        ("Encounter?status=planned", &[]),
        ("Encounter?status=finished&status=in-progress", &[]),
        ("Encounter?patient=2", &[]),
        ("Encounter?patient=1&subject=2", &[]),
        ("Encounter?_id=1,2&status=finished", &["1"]),
        ("Condition?patient=1", &["1-1", "1-2", "2-1"]),
        ("Condition?encounter=1", &["1-1", "1-2"]),
        ("Condition?encounter=Encounter/2&patient=1", &["2-1"]),
        ("Condition?encounter=2&patient=2", &[]),
        ("Condition?encounter=9", &[]),
        ("Condition?_id=1-2,2-1&encounter=2", &["2-1"]),
        ("MedicationRequest?patient=http://clinic.example/1.0.0/fhir/Patient/1", &["1", "2", "3"]),
        ("MedicationRequest?patient=http://other.example/1.0.0/fhir/Patient/1", &[]),
        ("MedicationRequest?patient=Group/1", &[]),
        ("MedicationRequest?status=active", &["3"]),
        ("MedicationRequest?status=completed,active&subject=1", &["1", "2", "3"]),
        ("MedicationRequest?status=http://hl7.org/fhir/CodeSystem/medicationrequest-status%7Ccompleted", &["1", "2"]),
        ("MedicationDispense?patient=1", &["2"]),
        ("MedicationDispense?prescription=MedicationRequest/1", &["2"]),
        ("MedicationDispense?prescription=2", &[]),
        ("MedicationDispense?prescription=9", &[]),
        ("MedicationDispense?_id=1,2", &["2"]),
        ("Medication", &["nfrhk4dsn5tgk3q", "obqxeyldmv2gc3lpnq", "pjuw4yy"]),
        ("Medication?_id=nfrhk4dsn5tgk3q", &["nfrhk4dsn5tgk3q"]),
        ("Invoice", &["1", "2", "3"]),
        ("Invoice?status=issued,balanced", &["1", "3"]),
        ("Invoice?status=cancelled,issued&patient=1", &["2", "3"]),
        ("Invoice?status=balanced", &["1"]),
        ("Invoice?patient=2", &[]),
    ] {
        assert_eq!(found(&api, path), ids, "{path}");
        let one = if path.contains('?') { format!("{path}&_count=1") } else { format!("{path}?_count=1") };
        if !path.contains("_count") {
            assert_eq!(found(&api, &one), ids, "{one}");
        }
    }
}

#[test]
fn what_cannot_be_searched_for_is_refused_by_name() {
    let (_, api) = clinic();
    for (path, code, named) in [
        ("Patient?birthdate=2000-01-01", "not-supported", Some("birthdate")),
        ("Patient?name:exact=Ada", "not-supported", Some("name:exact")),
        ("Patient?_lastUpdated=gt2020", "not-supported", Some("_lastUpdated")),
        ("Patient?_sort=name", "not-supported", Some("_sort")),
        ("Patient?Name=ada", "not-supported", Some("Name")),
        ("Patient?%3Cb%3E=ada", "not-supported", None),
        ("Medication?code=ibuprofen", "not-supported", Some("code")),
        ("Patient?name=ada,bo", "not-supported", Some("name")),
        ("Encounter?patient=1,2", "not-supported", Some("patient")),
        ("Patient?name=", "invalid", Some("name")),
        ("Patient?_id=", "invalid", Some("_id")),
        ("Patient?_count=0", "not-supported", Some("_count")),
        ("Patient?_count=-1", "invalid", Some("_count")),
        ("Patient?_format=json&_format=json", "invalid", Some("_format")),
        ("Patient/1?_format=json&_format=xml", "invalid", Some("_format")),
        ("Patient/1/_history?_format=&_format=", "invalid", Some("_format")),
        ("Patient/1/$everything?_format=json&_format=json", "invalid", Some("_format")),
        ("metadata?_format=json&_format=json", "invalid", Some("_format")),
        ("Patient?_count=5&_count=5", "invalid", Some("_count")),
        ("Patient?_cursor=x", "invalid", Some("_cursor")),
        ("Observation", "required", Some("patient")),
        ("Observation?code=29463-7", "required", Some("patient")),
        ("Condition", "required", Some("patient")),
        ("MedicationDispense?_count=5", "required", Some("patient")),
    ] {
        let expected = (400, code.to_owned(), named.map(str::to_owned));
        assert_eq!(refused(&api, path), expected, "{path}");
    }
    let many = (1..=51).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(refused(&api, &format!("Patient?_id={many}")), (400, "invalid".into(), Some("_id".into())));
    assert_eq!(refused(&api, "Patient?_format=ttl").0, 406);
}

#[test]
fn a_count_above_the_most_is_the_most() {
    let (care, _) = clinic();
    for page in [500, 2] {
        let api = api(care.clone()).with_limits(Limits::new().with_page(page));
        for (path, all) in [("Patient", 3), ("Patient/1/_history", 2), ("Patient/1/$everything", 15)] {
            for count in ["501", "1000000", "99999999999999999999999"] {
                let found = bundle(&api, &format!("{path}?_count={count}"));
                assert_eq!(entries(&found).len(), all.min(page), "{path}?_count={count}");
                assert_eq!(link(&found, "next").is_some(), all > page, "{path}?_count={count}");
            }
        }
        assert_eq!(entries(&bundle(&api, "Patient")).len(), 3.min(page));
    }
}

#[test]
fn what_was_dispensed_to_a_voided_patient_is_gone() {
    let (care, api) = clinic();
    block_on(async {
        care.cancel_invoice(3.try_into().unwrap(), ExpectedVersion::Any).await.unwrap();
        care.void_patient(PatientId::FIRST, ExpectedVersion::Any).await.unwrap();
    });
    for path in ["MedicationDispense/2", "MedicationRequest/1"] {
        assert_eq!(refused(&api, path).0, 410, "{path}");
    }
    for search in ["_id=2", "patient=1", "prescription=1", "patient=1&prescription=1"] {
        assert_eq!(found(&api, &format!("MedicationDispense?{search}")), [""; 0], "{search}");
    }
}

#[test]
fn a_removed_medicine_is_found_no_longer() {
    let (care, api) = clinic();
    let zinc = MedicineName::new("zinc").unwrap().key().clone();
    let path = "Medication/pjuw4yy";
    let version = bundle(&api, &format!("{path}/_history"))["entry"][0]["resource"]["meta"]["versionId"].clone();
    block_on(care.remove_item(zinc, ExpectedVersion::Any)).unwrap();
    let version = format!("{path}/_history/{}", version.as_str().unwrap());
    for path in [path, &format!("{path}/_history"), &version] {
        assert_eq!(refused(&api, path).0, 404, "{path}");
    }
    assert_eq!(found(&api, "Medication"), ["nfrhk4dsn5tgk3q", "obqxeyldmv2gc3lpnq"]);
}

#[test]
fn a_lenient_client_is_told_that_something_was_left_out() {
    let (_, api) = clinic();
    let answer = ask(&api, "Patient?_sort=name&name=ada&_count=1", "respond-async, handling=lenient");
    let page: Value = serde_json::from_slice(answer.body()).unwrap();
    assert_eq!(link(&page, "self").unwrap(), format!("{BASE}/Patient?name=ada&_count=1"));
    let modes: Vec<_> = entries(&page).iter().map(|entry| entry["search"]["mode"].clone()).collect();
    assert_eq!(modes, ["match", "outcome"]);
    let outcome = &entries(&page)[1]["resource"];
    assert_eq!(
        (&outcome["resourceType"], &outcome["issue"][0]["severity"]),
        (&"OperationOutcome".into(), &"warning".into())
    );
    let id = answer.headers()["x-request-id"].to_str().unwrap();
    assert_eq!(outcome["issue"][0]["diagnostics"], format!("urn:care:request:{id}"));
    assert_eq!(outcome["issue"][0]["expression"], serde_json::json!(["_sort"]));
    assert!(!link(&page, "next").unwrap().contains("_sort"));
    // A value that is no value stays refused.
    assert_eq!(ask(&api, "Patient?_count=x", "handling=lenient").status(), 400);
    // Of two preferences the first one counts, and a quoted value is the same value.
    for (preference, status) in [
        ("handling=strict", 400),
        ("handling=strict, handling=lenient", 400),
        ("handling=lenient; x, handling=strict", 200),
        ("Handling = \"lenient\"", 200),
        ("x-handling=lenient", 400),
    ] {
        assert_eq!(ask(&api, "Patient?_sort=name", preference).status(), status, "{preference}");
    }
    // The entries of a history are requests with their responses, and nothing else.
    let history = ask(&api, "Patient/1/_history?_sort=name", "handling=lenient");
    let history: Value = serde_json::from_slice(history.body()).unwrap();
    assert!(entries(&history).iter().all(|entry| entry["request"].is_object()), "{history}");
    assert_eq!(link(&history, "self").unwrap(), format!("{BASE}/Patient/1/_history"));
}

#[test]
fn every_unsupported_parameter_is_named_once_if_it_has_a_name() {
    let (_, api) = clinic();
    for path in ["Patient", "Patient/1", "Patient/1/_history", "Patient/1/$everything", "metadata"] {
        let answer = ask(&api, &format!("{path}?foo=1&bar=2&=3&foo=4&a%20b=5"), "");
        assert_eq!(answer.status(), 400, "{path}");
        let outcome: Value = serde_json::from_slice(answer.body()).unwrap();
        assert_eq!(outcome["issue"][0]["expression"], serde_json::json!(["bar", "foo"]), "{path}");
        let answer = ask(&api, &format!("{path}?=1"), "");
        let outcome: Value = serde_json::from_slice(answer.body()).unwrap();
        assert_eq!((answer.status().as_u16(), outcome["issue"][0].get("expression")), (400, None), "{path}");
    }
}

#[test]
fn a_cursor_belongs_to_what_is_searched_for() {
    let (care, api) = clinic();
    let cursor = |path: &str| link(&bundle(&api, path), "next").unwrap().split("_cursor=").nth(1).unwrap().to_owned();
    let of = cursor("Encounter?patient=1&_count=1");
    // Its meaning counts, and not its spelling.
    for same in ["Encounter?subject=Patient/1", "Encounter?patient=1&patient=1"] {
        assert_eq!(found(&api, &format!("{same}&_cursor={of}")), ["2"], "{same}");
    }
    for other in ["Encounter?patient=2", "Encounter?", "Condition?patient=1", "Encounter?patient=1&status=finished"] {
        assert_eq!(refused(&api, &format!("{other}&_cursor={of}")).2.as_deref(), Some("_cursor"), "{other}");
    }
    for broken in [format!("{of}x"), of[..12].to_owned(), format!("{}392e312d30", &of[..12])] {
        assert_eq!(refused(&api, &format!("Encounter?patient=1&_cursor={broken}")).1, "invalid", "{broken}");
    }
    // A page that begins behind a record that is gone begins with the next one.
    let behind = cursor("MedicationRequest?_count=2");
    block_on(care.withdraw_prescription(2.try_into().unwrap(), ExpectedVersion::Any)).unwrap();
    assert_eq!(found(&api, &format!("MedicationRequest?_cursor={behind}")), ["3"]);
}

#[test]
fn a_withdrawn_prescription_still_has_what_was_dispensed_for_it() {
    let (care, api) = clinic();
    block_on(care.withdraw_prescription(1.try_into().unwrap(), ExpectedVersion::Any)).unwrap();
    assert_eq!(found(&api, "MedicationDispense?prescription=1"), ["2"]);
}

#[test]
fn a_page_ends_before_it_is_longer_than_a_mebibyte() {
    let (care, api) = clinic();
    let long = "\u{1f48a}\"\\<&\t".repeat(170);
    block_on(async {
        for _ in 0..500 {
            let address = Patch::Set(Address::new(long.as_str()).unwrap());
            let details = PatientDetails { address, ..PatientDetails::default() };
            care.register_patient(details).await.unwrap();
        }
    });
    for form in ["json", "xml"] {
        let answer = ask(&api, &format!("Patient?_count=500&_format={form}"), "");
        let length = answer.body().len();
        assert!((900_000..1 << 20).contains(&length), "{form}: {length}");
    }
    let all: Vec<_> = (1..=503).map(|id: i64| id.to_string()).collect();
    assert_eq!(found(&api, "Patient?_count=500"), all);
}

/// Returns how often others pass while this is answered.
fn passes(api: &Api, path: &str) -> usize {
    let request = Request::get(format!("/1.0.0/fhir/{path}")).header("api_key", "all").body(Bytes::new()).unwrap();
    let mut work = pin!(api.handle(request));
    let mut context = Context::from_waker(Waker::noop());
    (0..1_000).take_while(|_| work.as_mut().poll(&mut context).is_pending()).count()
}

#[test]
fn others_pass_between_the_pieces_of_a_page() {
    let (care, api) = clinic();
    let address = || Patch::Set(Address::new("x".repeat(Address::MAX)).unwrap());
    block_on(async {
        for age in 1..=100_i64 {
            for _ in 0..5 {
                let details = PatientDetails { address: address(), ..PatientDetails::default() };
                care.register_patient(details).await.unwrap();
            }
            for phone in [age, age + 1000, age + 2000, age + 3000] {
                let phone = Patch::Set(phone.try_into().unwrap());
                let details = PatientDetails { phone, address: address(), ..PatientDetails::default() };
                care.update_patient(1.try_into().unwrap(), details, ExpectedVersion::Any).await.unwrap();
            }
        }
    });
    for (path, times) in [("Patient", 3), ("Patient/1/_history", 1)] {
        for form in ["json", "xml"] {
            let passes = passes(&api, &format!("{path}?_count=500&_format={form}"));
            assert!(passes >= times, "{path} in {form}: {passes}");
        }
    }
}

#[test]
fn both_forms_of_a_bundle_have_the_same_elements() {
    let (_, api) = clinic();
    let text =
        |form: &str| String::from_utf8(ask(&api, &format!("Invoice?_format={form}"), "").into_body().to_vec()).unwrap();
    let (json, xml) = (text("json"), text("xml"));
    for (in_json, in_xml) in
        [("\"fullUrl\":", "<fullUrl "), ("\"status\":\"balanced\"", "<status value=\"balanced\"/>")]
    {
        assert_eq!(json.matches(in_json).count(), xml.matches(in_xml).count());
    }
    assert!(xml.contains("<entry><fullUrl value=\"http://clinic.example/1.0.0/fhir/Invoice/1\"/><resource><Invoice>"));
    assert!(xml.starts_with(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Bundle xmlns=\"http://hl7.org/fhir\"><type value=\"searchset\"/>"
    ));
}
