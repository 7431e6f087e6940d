//! A clinic, and what is asked of its facade.

use bytes::Bytes;
use care_core::{
    Api, CareService, MemoryStore,
    keys::KeyRing,
    model::{
        Disease, Email, ItemDetails, LotId, MedicineName, Patch, PatientDetails, PatientId, RefundReason, Scope,
        Scopes, StockDetails, UnitName, Units,
    },
    service::{ExpectedVersion, NewConsultation, NewPrescription, NewRefund, OpeningLot},
};
use care_fhir::Fhir;
use futures_executor::block_on;
use http::{Request, Response};
use serde_json::Value;

/// The address of the facade.
pub(crate) const BASE: &str = "http://clinic.example/1.0.0/fhir";

/// Returns a clinic of three patients: the first has two consultations, in which she got a tracked medicine and
/// another, and three invoices in three states.
pub(crate) fn clinic() -> (CareService, Api) {
    let care = CareService::new(MemoryStore::new());
    block_on(async {
        for (name, phone) in [("Ada Example", 441), ("Adam", 442), ("Bo", 443)] {
            let details = PatientDetails {
                phone: Patch::Set(phone.try_into().unwrap()),
                email: Patch::Set(Email::new(format!("{phone}@example.org")).unwrap()),
                age: Patch::Set(36.try_into().unwrap()),
                weight: Patch::Set(61.5.try_into().unwrap()),
                ..PatientDetails::default()
            };
            care.register_patient(details.name(name).unwrap()).await.unwrap();
        }
        let medicine = |name: &str| MedicineName::new(name).unwrap();
        for name in ["ibuprofen", "paracetamol", "zinc"] {
            care.add_item(medicine(name), ItemDetails::default()).await.unwrap();
        }
        let units = Units::try_from(9).unwrap();
        let details = StockDetails { supply_units: 3.try_into().map(Patch::Set).unwrap(), ..StockDetails::default() };
        let opening = vec![OpeningLot { lot: LotId::default(), units }];
        let key = medicine("ibuprofen").key().clone();
        care.start_stock(key, UnitName::new("tablets").unwrap(), details, opening).await.unwrap();
        let visit = |diseases: &[&str], medicines: &[&str]| {
            NewConsultation::of(PatientId::FIRST)
                .diagnosing(diseases.iter().map(|disease| Disease::new(*disease).unwrap()))
                .prescribing(medicines.iter().map(|name| NewPrescription::of(medicine(name))))
        };
        care.record_consultation(visit(&["Cough", "Fever"], &["ibuprofen", "paracetamol"])).await.unwrap();
        care.record_consultation(visit(&["Rash"], &["zinc"])).await.unwrap();
        for prescription in 1..=3_i64 {
            let invoice = care.issue_invoice(prescription.try_into().unwrap()).await.unwrap().invoice.invoice_id;
            if prescription < 3 {
                care.pay_invoice(invoice).await.unwrap();
            }
        }
        let refund = NewRefund::of(RefundReason::WrongEntry);
        care.refund_invoice(2.try_into().unwrap(), refund, ExpectedVersion::Any).await.unwrap();
    });
    (care.clone(), api(care))
}

/// Returns the facade over a service, with a key of all scopes, and one for each scope that lacks it.
pub(crate) fn api(care: CareService) -> Api {
    let without = |keys: KeyRing, scope: Scope| {
        let others = Scopes::ALL.iter().filter(|other| *other != scope);
        keys.with_key(&format!("no {}", scope.as_str()), scope.as_str(), others.collect())
    };
    let keys = Scopes::ALL.iter().fold(KeyRing::new().with_key("all", "all", Scopes::ALL), without);
    Api::new(care).with_keys(keys).with_facade(Fhir::new().with_facility_uri("urn:x"))
}

/// Asks with a key that has all scopes, and these preferences.
pub(crate) fn ask(api: &Api, path: &str, prefer: &str) -> Response<Bytes> {
    send(api, path, &[("api_key", "all"), ("prefer", prefer)])
}

/// Asks with these headers.
pub(crate) fn send(api: &Api, path: &str, headers: &[(&str, &str)]) -> Response<Bytes> {
    let path = path.strip_prefix(BASE).map_or(path, |below| below.trim_start_matches('/'));
    let request = Request::get(format!("/1.0.0/fhir/{path}")).header("host", "clinic.example");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    block_on(api.handle(request.body(Bytes::new()).unwrap()))
}

/// Returns the bundle that a request is answered with.
pub(crate) fn bundle(api: &Api, path: &str) -> Value {
    let answer = ask(api, path, "");
    let bundle: Value = serde_json::from_slice(answer.body()).unwrap();
    assert_eq!((answer.status().as_u16(), &bundle["resourceType"]), (200, &"Bundle".into()), "{path}: {bundle}");
    let kind = if path.contains("/_history") { "history" } else { "searchset" };
    assert_eq!((&bundle["type"], &bundle["total"]), (&kind.into(), &Value::Null));
    bundle
}

/// Returns a link of a bundle.
pub(crate) fn link(bundle: &Value, relation: &str) -> Option<String> {
    let links = bundle["link"].as_array().unwrap();
    let link = links.iter().find(|link| link["relation"] == relation)?;
    Some(link["url"].as_str().unwrap().to_owned())
}

/// Returns the entries of a bundle.
pub(crate) fn entries(bundle: &Value) -> Vec<Value> {
    bundle["entry"].as_array().cloned().unwrap_or_default()
}

/// Returns the identifiers on all pages of a search.
pub(crate) fn found(api: &Api, path: &str) -> Vec<String> {
    let checked = all(api, path).into_iter().map(|entry| {
        let name = name(&entry);
        assert_eq!((&entry["fullUrl"], &entry["search"]["mode"]), (&format!("{BASE}/{name}").into(), &"match".into()));
        // It is what a read of it answers.
        let read = ask(api, &name, "");
        assert_eq!(serde_json::from_slice::<Value>(read.body()).unwrap(), entry["resource"]);
        name.split('/').nth(1).unwrap().to_owned()
    });
    checked.collect()
}

/// Returns the status, the code and the parameter of a refusal.
pub(crate) fn refused(api: &Api, path: &str) -> (u16, String, Option<String>) {
    let answer = ask(api, path, "");
    let outcome: Value = serde_json::from_slice(answer.body()).unwrap();
    let issue = &outcome["issue"][0];
    let named = issue["expression"][0].as_str().map(str::to_owned);
    (answer.status().as_u16(), issue["code"].as_str().unwrap_or_default().to_owned(), named)
}

/// Returns the entries on all pages.
pub(crate) fn all(api: &Api, path: &str) -> Vec<Value> {
    let (mut all, mut next) = (Vec::new(), Some(path.to_owned()));
    for _ in 0..1000 {
        let Some(path) = next else { return all };
        let page = bundle(api, &path);
        all.extend(entries(&page));
        next = link(&page, "next");
    }
    panic!("{path} has no end");
}

/// Returns the type and the identifier of an entry's resource.
pub(crate) fn name(entry: &Value) -> String {
    let text = |member: &str| entry["resource"][member].as_str().unwrap().to_owned();
    format!("{}/{}", text("resourceType"), text("id"))
}
