//! The gate: keys, scopes, refusals and versions.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    Api, CareService, MemoryStore,
    keys::{Authenticator, KeyRing, Principal},
    model::{
        Disease, ItemDetails, LotId, MedicineName, Patch, PatientDetails, PatientId, Scope, Scopes, StockDetails,
        UnitName, Units,
    },
    rest::HeadOutcome,
    service::{ExpectedVersion, NewConsultation, NewMovement, NewPrescription, OpeningLot},
    store::{Limit, RecordKey, Seq},
};
use care_fhir::Fhir;
use futures_executor::block_on;
use http::{Request, Response, StatusCode, request::Builder};
use serde_json::Value;

const TYPES: [(&str, Scope); 9] = [
    ("Patient/1", Scope::PatientRead),
    ("AllergyIntolerance/1-allergies", Scope::PatientRead),
    ("Observation/1-age", Scope::PatientRead),
    ("Encounter/1", Scope::HistoryRead),
    ("Condition/1-1", Scope::HistoryRead),
    ("MedicationRequest/1", Scope::PrescriptionsRead),
    ("MedicationDispense/1", Scope::PrescriptionsRead),
    ("Medication/nfrhk4dsn5tgk3q", Scope::InventoryRead),
    ("Invoice/1", Scope::InvoiceRead),
];

struct Clinic {
    care: CareService,
    api: Api,
}

impl Clinic {
    /// Returns a clinic with one patient, a consultation of one disease and one prescription, and its invoice.
    fn open() -> Self {
        let care = CareService::new(MemoryStore::new());
        block_on(async {
            let details = PatientDetails { age: Patch::Set(36.try_into().unwrap()), ..PatientDetails::default() };
            let patient = care
                .register_patient(details.name("Ada Example").unwrap().allergies("nuts").unwrap())
                .await
                .unwrap()
                .patient_id;
            let medicine = MedicineName::new("ibuprofen").unwrap();
            care.add_item(medicine.clone(), ItemDetails::default()).await.unwrap();
            let visit = NewConsultation::of(patient)
                .diagnosing([Disease::new("Cough").unwrap()])
                .prescribing([NewPrescription::of(medicine)]);
            care.record_consultation(visit).await.unwrap();
            care.issue_invoice(1.try_into().unwrap()).await.unwrap();
        });
        Self::of(care)
    }

    /// Returns the facade over a service, with a key of all scopes and one for each type.
    fn of(care: CareService) -> Self {
        let keys = TYPES.iter().fold(KeyRing::new().with_key("all", "all", Scopes::ALL), |keys, (of, scope)| {
            keys.with_key(of, *of, Scopes::from_iter([*scope]))
        });
        let api = Api::new(care.clone()).with_keys(keys).with_facade(Fhir::new());
        Self { care, api }
    }

    fn ask(&self, request: Builder) -> Response<Bytes> {
        block_on(self.api.handle(request.body(Bytes::new()).unwrap()))
    }

    fn get(&self, path: &str) -> Response<Bytes> {
        self.ask(get(path).header("api_key", "all"))
    }
}

/// A key that is valid when it is looked at first, which takes longer than what was known then counts, and revoked
/// later.
#[derive(Default)]
struct Revocable(AtomicBool);

#[async_trait]
impl Authenticator for Revocable {
    async fn authenticate(&self, _: &[u8]) -> Option<Principal> {
        let is_first = !self.0.swap(true, Ordering::SeqCst);
        is_first.then(|| {
            thread::sleep(Duration::from_millis(600));
            Principal::new("all", Scopes::ALL).unwrap()
        })
    }
}

#[test]
fn a_key_that_is_revoked_while_its_request_waits_reads_nothing() {
    let api = Api::new(Clinic::open().care).with_keys(Revocable::default()).with_facade(Fhir::new());
    let head = get("Patient/1").header("api_key", "all").header("transfer-encoding", "chunked").body(()).unwrap();
    let HeadOutcome::Answer(answer) = block_on(api.begin(head.into_parts().0)) else {
        panic!("it waits for a body");
    };
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(answer.headers()["connection"], "close");
}

fn get(path: &str) -> Builder {
    Request::get(format!("/1.0.0/fhir/{path}"))
}

fn json(answer: &Response<Bytes>) -> Value {
    serde_json::from_slice(answer.body()).unwrap()
}

/// Returns the status and the code of the issue.
fn refused(answer: &Response<Bytes>) -> (u16, String) {
    let outcome = json(answer);
    assert_eq!(outcome["resourceType"], "OperationOutcome");
    let id = answer.headers()["x-request-id"].to_str().unwrap();
    assert_eq!(outcome["issue"][0]["diagnostics"], format!("urn:care:request:{id}"));
    assert_eq!(answer.headers()["cache-control"], "no-store");
    (answer.status().as_u16(), outcome["issue"][0]["code"].as_str().unwrap().to_owned())
}

fn is(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[test]
fn each_type_is_read_with_its_scope_and_no_other() {
    let clinic = Clinic::open();
    for (path, scope) in TYPES {
        for (key, other) in TYPES {
            let answer = clinic.ask(get(path).header("api_key", key));
            if scope != other {
                assert_eq!(refused(&answer), is(403, "forbidden"), "{path} with {other}");
            } else if path.starts_with("MedicationDispense") {
                assert_eq!(refused(&answer), is(404, "not-found"));
            } else {
                assert_eq!(answer.status(), StatusCode::OK, "{path}");
                let resource = json(&answer);
                assert_eq!(
                    format!("{}/{}", resource["resourceType"].as_str().unwrap(), resource["id"].as_str().unwrap()),
                    path
                );
                let version = resource["meta"]["versionId"].as_str().unwrap();
                assert_eq!(answer.headers()["etag"], format!("W/\"{version}\""));
            }
        }
    }
}

#[test]
fn a_key_may_be_a_bearer_below_the_prefix_only() {
    let clinic = Clinic::open();
    let bearer = |request: Builder, value: &str| request.header("authorization", value);
    for taken in ["Bearer all", "bearer all", "Bearer  all"] {
        assert_eq!(clinic.ask(bearer(get("Patient/1"), taken)).status(), StatusCode::OK, "{taken}");
    }
    for request in [
        get("Patient/1"),
        get("nothing"),
        bearer(get("Patient/1"), "Bearer other"),
        bearer(get("Patient/1"), "Bearer "),
        bearer(get("Patient/1"), "Basic all"),
        bearer(get("Patient/1").header("api_key", "all"), "Bearer all"),
        bearer(bearer(get("Patient/1"), "Bearer all"), "Bearer all"),
        get("Patient/1").header("api_key", "all").header("api_key", "all"),
    ] {
        let answer = clinic.ask(request);
        assert_eq!(refused(&answer), is(401, "login"));
        assert!(answer.headers().contains_key("www-authenticate"));
    }
    let elsewhere = clinic.ask(bearer(Request::get("/1.0.0/patient/1"), "Bearer all"));
    assert_eq!(elsewhere.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(elsewhere.headers()["content-type"], "application/problem+json");
}

#[test]
fn refusals_come_in_the_order_of_the_gate_as_outcomes() {
    let clinic = Clinic::open();
    for (path, refusal) in [
        ("Patient/2", is(404, "not-found")),
        ("Patient/01", is(404, "not-found")),
        ("Patient/9223372036854775808", is(404, "not-found")),
        ("Patient/x", is(404, "not-found")),
        ("Observation/1-weight", is(404, "not-found")),
        ("Condition/1-2", is(404, "not-found")),
        ("Condition/1-0", is(404, "not-found")),
        ("Medication/x", is(404, "not-found")),
        ("patient/1", is(404, "not-found")),
        ("Patient/1/", is(404, "not-found")),
        ("Coverage/1", is(404, "not-found")),
        ("", is(404, "not-found")),
        ("Patient/%ff", is(400, "invalid")),
        ("Patient/1?name=%ff", is(400, "invalid")),
        ("Patient/1?name=x", is(400, "not-supported")),
        ("metadata?name=x", is(400, "not-supported")),
        ("Patient/1?_format=ttl", is(406, "not-supported")),
    ] {
        assert_eq!(refused(&clinic.get(path)), refusal, "{path}");
    }
    let lenient = get("Patient/1?name=x").header("api_key", "all").header("prefer", "handling=lenient");
    assert_eq!(clinic.ask(lenient).status(), StatusCode::OK);
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        // A key without the scope of the type is told the same.
        for key in ["all", "Invoice/1"] {
            let answer = clinic.ask(get("Patient/1").method(method).header("api_key", key));
            assert_eq!(refused(&answer), is(405, "not-supported"), "{method} {key}");
            assert_eq!(answer.headers()["allow"], "GET, HEAD, OPTIONS");
        }
        let unknown = clinic.ask(get("Patient/1").method(method).header("api_key", "none"));
        assert_eq!(refused(&unknown), is(401, "login"));
    }
    let search = get("Patient/_search").method("POST").header("content-type", "application/x-www-form-urlencoded");
    let search = search.header("content-length", "8").header("api_key", "all");
    assert_eq!(refused(&clinic.ask(search)), is(405, "not-supported"));
    let options = clinic.ask(get("Patient/1").method("OPTIONS"));
    assert_eq!(
        (options.status(), &options.headers()["allow"]),
        (StatusCode::NO_CONTENT, &"GET, HEAD, OPTIONS".parse().unwrap())
    );
    let xml = clinic.ask(get("Patient/1").header("accept", "application/fhir+xml"));
    assert_eq!(xml.headers()["content-type"], "application/fhir+xml; charset=utf-8");
    assert!(String::from_utf8_lossy(xml.body()).contains("<OperationOutcome xmlns=\"http://hl7.org/fhir\"><issue>"));
}

#[test]
fn what_was_given_and_is_no_longer_there_is_gone() {
    let clinic = Clinic::open();
    block_on(async {
        let care = &clinic.care;
        let invoice = 1.try_into().unwrap();
        care.cancel_invoice(invoice, ExpectedVersion::Any).await.unwrap();
        care.withdraw_prescription(1.try_into().unwrap(), ExpectedVersion::Any).await.unwrap();
    });
    for path in ["Invoice/1", "MedicationRequest/1"] {
        assert_eq!(refused(&clinic.get(path)), is(410, "deleted"), "{path}");
    }
    for path in ["Invoice/2", "MedicationRequest/2", "Encounter/2"] {
        assert_eq!(refused(&clinic.get(path)), is(404, "not-found"), "{path}");
    }
    block_on(clinic.care.void_patient(PatientId::FIRST, ExpectedVersion::Any)).unwrap();
    for path in ["Patient/1", "Observation/1-age", "Encounter/1", "Condition/1-1"] {
        assert_eq!(refused(&clinic.get(path)), is(410, "deleted"), "{path}");
    }
}

#[test]
fn a_version_changes_with_its_record_and_with_no_other() {
    let clinic = Clinic::open();
    let tag = |path: &str| clinic.get(path).headers()["etag"].clone();
    let paths = TYPES.map(|(path, _)| path).into_iter().filter(|path| !path.starts_with("MedicationDispense"));
    let before: Vec<_> = paths.clone().map(|path| (path, tag(path))).collect();
    let known = |path: &str, tag: &http::HeaderValue| {
        clinic.ask(get(path).header("api_key", "all").header("if-none-match", tag)).status() == StatusCode::NOT_MODIFIED
    };
    assert!(before.iter().all(|(path, tag)| known(path, tag)));
    let details = PatientDetails { age: Patch::Set(37.try_into().unwrap()), ..PatientDetails::default() };
    block_on(clinic.care.update_patient(PatientId::FIRST, details, ExpectedVersion::Any)).unwrap();
    for (path, tag) in &before {
        assert_eq!(
            known(path, tag),
            !matches!(*path, "Patient/1" | "AllergyIntolerance/1-allergies" | "Observation/1-age"),
            "{path}"
        );
    }
}

#[test]
fn a_date_validates_the_version_that_has_it() {
    let clinic = Clinic::open();
    let by = |since: &str, tag: Option<&str>, now: SystemTime| {
        let clinic = Clinic::of(clinic.care.clone().with_clock(move || now.into()));
        let request = get("Patient/1").header("api_key", "all").header("if-modified-since", since);
        clinic.ask(tag.into_iter().fold(request, |request, tag| request.header("if-none-match", tag))).status()
    };
    let answer = clinic.get("Patient/1");
    let date = answer.headers()["last-modified"].to_str().unwrap();
    let second = httpdate::parse_http_date(date).unwrap();
    let at = |seconds: u64| second + Duration::from_secs(seconds);
    assert_eq!(by(date, None, at(1)), StatusCode::NOT_MODIFIED);
    // The tag decides where there is one.
    assert_eq!(by(date, Some("W/\"x\""), at(1)), StatusCode::OK);
    assert_eq!(by(date, None, at(0)), StatusCode::OK, "its second is not over");
    assert_eq!(by(date, None, second - Duration::from_secs(60)), StatusCode::OK, "the clock was set back");
    for other in [second - Duration::from_secs(1), at(1), at(86_400)] {
        assert_eq!(by(&httpdate::fmt_http_date(other), None, at(90_000)), StatusCode::OK);
    }
}

#[test]
fn a_dispensing_moves_on_when_units_come_back() {
    let clinic = Clinic::open();
    let (key, units) = (MedicineName::new("ibuprofen").unwrap().key().clone(), |n: i64| Units::try_from(n).unwrap());
    let invoice = block_on(async {
        let care = &clinic.care;
        care.cancel_invoice(1.try_into().unwrap(), ExpectedVersion::Any).await.unwrap();
        let details = StockDetails { supply_units: 3.try_into().map(Patch::Set).unwrap(), ..StockDetails::default() };
        let opening = vec![OpeningLot { lot: LotId::default(), units: units(9) }];
        care.start_stock(key.clone(), UnitName::new("tablets").unwrap(), details, opening).await.unwrap();
        let invoice = care.issue_invoice(1.try_into().unwrap()).await.unwrap().invoice.invoice_id;
        care.pay_invoice(invoice).await.unwrap();
        invoice
    });
    // Movement 1 is the opening stock, which is no dispensing.
    assert_eq!(refused(&clinic.get("MedicationDispense/1")), is(404, "not-found"));
    let before = json(&clinic.get("MedicationDispense/2"));
    assert_eq!((&before["quantity"]["value"], &before["note"]), (&Value::from(3), &Value::Null));
    assert_eq!(before["subject"]["reference"], "Patient/1");
    let back = NewMovement::returned(LotId::default(), units(1), invoice);
    block_on(clinic.care.move_stock(key, back)).unwrap();
    let after = json(&clinic.get("MedicationDispense/2"));
    assert_eq!(
        (&after["quantity"], after["note"][0]["text"].as_str()),
        (&before["quantity"], Some("1 of 3 came back"))
    );
    assert_ne!(after["meta"]["versionId"], before["meta"]["versionId"]);
}

#[test]
fn each_segment_may_be_escaped_also_the_first_one() {
    let clinic = Clinic::open();
    let at = |path: &str| clinic.ask(Request::get(path).header("api_key", "all")).status().as_u16();
    assert_eq!([at("/1.0.0/f%68ir/%50atient/1"), at("/1.0.0/fhir/Patient/1")], [200; 2]);
    assert_eq!([at("/1.0.0x/fhir/Patient/1"), at("/1.0.0/fhirs/Patient/1"), at("/1.0.0fhir/Patient/1")], [404; 3]);
    // The answer shows which contract refused.
    assert_eq!(refused(&clinic.ask(Request::get("/1.0.0/f%68ir/x").header("api_key", "all"))), is(404, "not-found"));
}

#[test]
fn the_openapi_document_names_the_facade_and_no_path_of_it() {
    let clinic = Clinic::open();
    let document = |api: &Api| {
        let request = Request::get("/1.0.0/openapi.json").body(Bytes::new()).unwrap();
        json(&block_on(api.handle(request)))
    };
    let with = document(&clinic.api);
    assert_eq!(with["servers"][0]["description"], "FHIR R4 (4.0.1) is served below it, at `fhir/`.");
    assert!(with["paths"].as_object().unwrap().keys().all(|path| !path.contains("fhir")));
    assert_eq!(document(&clinic.api.clone().contract_only())["servers"][0]["description"], Value::Null);
}

#[test]
fn audited_reads_are_noted_under_a_name_of_their_own() {
    let Clinic { care, api } = Clinic::open();
    let clinic = Clinic { care, api: api.with_read_audit() };
    let entries = || block_on(clinic.care.store().journal(Seq::ZERO, Limit::ALL)).unwrap().items;
    let before = entries().len();
    for path in ["Medication/nfrhk4dsn5tgk3q", "Patient/9", "metadata"] {
        clinic.get(path);
    }
    assert_eq!(entries().len(), before);
    clinic.get("Condition/1-1");
    clinic.ask(get("Invoice/1").method("HEAD").header("api_key", "Invoice/1"));
    let noted: Vec<_> =
        entries().split_off(before).into_iter().map(|entry| (entry.actor, entry.operation, entry.reads)).collect();
    let read = |actor: &str, key| (actor.to_owned(), "fhirRead".into(), vec![key]);
    let first = 1.try_into().unwrap();
    assert_eq!(
        noted,
        [read("all", RecordKey::Consultation(first)), read("Invoice/1", RecordKey::Invoice(1.try_into().unwrap()))]
    );
}

#[test]
fn the_statement_lists_the_types_that_are_routed() {
    let clinic = Clinic::open();
    let answer = clinic.ask(get("metadata").header("host", "clinic.example:8000"));
    let statement = json(&answer);
    assert_eq!((&statement["fhirVersion"], &statement["kind"]), (&Value::from("4.0.1"), &Value::from("instance")));
    assert_eq!(statement["implementation"]["url"], "http://clinic.example:8000/1.0.0/fhir");
    let listed = statement["rest"][0]["resource"].as_array().unwrap().iter();
    let listed: Vec<_> = listed.map(|resource| resource["type"].as_str().unwrap()).collect();
    assert_eq!(listed, TYPES.map(|(path, _)| path.split('/').next().unwrap()));
    let tag = &answer.headers()["etag"];
    let again = clinic.ask(get("metadata").header("host", "clinic.example:8000").header("if-none-match", tag));
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    let odd = json(&clinic.ask(get("metadata").header("host", "a b/<c>")));
    assert_eq!(odd["implementation"]["url"], Value::Null);
    let bare = Clinic { api: clinic.api.clone().contract_only(), ..clinic };
    assert_eq!(bare.get("metadata").headers()["content-type"], "application/problem+json");
}
