//! Every interaction does a little work at once, and waits for others where it does more.

use std::sync::Arc;

use bytes::Bytes;
use care_core::{
    Api, CareService, MemoryStore,
    keys::{KeyRing, Scopes},
    rest::Limits,
};
use care_fhir::Fhir;
use care_testkit::{
    Wrap,
    metered::{Metered, QUANTUM, SHORT, fill},
};
use futures_executor::block_on;
use http::{Request, Response};
use serde_json::Value;

/// The most polls of a request. The longest takes some hundred.
const POLLS: usize = 20_000;

struct Clinic {
    store: Arc<Wrap<Metered>>,
    api: Api,
}

impl Clinic {
    fn with(records: &MemoryStore) -> Self {
        let store = Metered::new(records.clone());
        let keys = KeyRing::new().with_key("key", "key", Scopes::ALL).with_key("other", "other", Scopes::ALL);
        let api = Api::new(CareService::new(Arc::clone(&store))).with_keys(keys);
        let api = api.with_facade(Fhir::new().with_facility_uri("urn:x")).with_limits(Limits::new().with_long_work(1));
        Self { store, api }
    }

    fn polled(&self, path: &str, times: usize) -> (Option<Response<Bytes>>, Vec<usize>) {
        let request = Request::get(format!("/1.0.0/{path}")).header("api_key", "key").body(Bytes::new()).unwrap();
        self.store.0.polled(Box::pin(self.api.handle(request)), times)
    }

    fn json(&self, path: &str) -> Value {
        let (answer, _) = self.polled(path, POLLS);
        serde_json::from_slice(answer.unwrap().body()).unwrap()
    }
}

/// Returns the paths of all interactions that the statement names, with each of their parameters.
fn paths(clinic: &Clinic) -> Vec<String> {
    let statement = clinic.json("fhir/metadata");
    let mut paths = vec!["fhir/metadata".to_owned(), "fhir/Patient/1/$everything".to_owned()];
    for resource in statement["rest"][0]["resource"].as_array().unwrap() {
        let kind = resource["type"].as_str().unwrap();
        paths.push(format!("fhir/{kind}"));
        paths.push(format!("fhir/{kind}?patient=1&_count=500"));
        for parameter in resource["searchParam"].as_array().unwrap() {
            let name = parameter["name"].as_str().unwrap();
            for value in ["1", "Patient/1", "ada", "active", "final", "finished", "urn:x|1"] {
                paths.push(format!("fhir/{kind}?{name}={value}&patient=1"));
                paths.push(format!("fhir/{kind}?{name}={value}&_count=500"));
            }
        }
        let bundle = clinic.json(&format!("fhir/{kind}?patient=1"));
        let listed = clinic.json(&format!("fhir/{kind}"));
        let ids = [&bundle, &listed].map(|bundle| bundle["entry"][0]["resource"]["id"].as_str().map(str::to_owned));
        // Numbers without a record, an unknown digest, and parts that the record lacks.
        let unknown = ["99999".to_owned(), "0".repeat(64), "2-allergies".to_owned(), "2-weight".to_owned()];
        for id in ids.into_iter().flatten().chain(unknown) {
            for end in ["", "/_history", "/_history/1", "/_history/99999"] {
                paths.push(format!("fhir/{kind}/{id}{end}"));
            }
        }
    }
    paths
}

#[test]
fn no_interaction_reads_more_than_a_little_without_a_slot_or_than_a_quantum_at_once() {
    let records = Arc::new(MemoryStore::new());
    block_on(fill(&CareService::new(Arc::clone(&records)))).unwrap();
    let clinic = Clinic::with(&records);
    let paths = paths(&clinic);
    let mut wrong = Vec::new();
    let mut long = Vec::new();
    for path in &paths {
        let (answer, read) = clinic.polled(path, POLLS);
        let Some(answer) = answer else {
            wrong.push(format!("{path} does not end"));
            continue;
        };
        let is_too_much = read.iter().skip(1).any(|read| *read > QUANTUM);
        if is_too_much || read.first().is_some_and(|read| *read > SHORT + QUANTUM) {
            wrong.push(format!("{path} reads at once {read:?}"));
        }
        if answer.status() == 200 && read.iter().sum::<usize>() > SHORT {
            long.push(path);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(long.len() > 5, "the clinic is full: {long:#?}");
    // While another request has the only slot, each reads no more than a little.
    let held = Clinic::with(&records);
    held.store.0.hold();
    let search = Request::get("/1.0.0/patient?find=ada").header("api_key", "other").body(Bytes::new()).unwrap();
    let mut search = Box::pin(held.api.handle(search));
    assert!(futures_util::FutureExt::now_or_never(search.as_mut()).is_none());
    for path in &paths {
        let (answer, read) = held.polled(path, 20);
        let sum = read.iter().sum::<usize>();
        if sum > SHORT || long.contains(&path) && answer.is_some_and(|answer| answer.status() == 200) {
            wrong.push(format!("{path} reads {sum} without a slot"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
