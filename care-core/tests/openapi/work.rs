//! Every request does a little work at once, and waits for others where it does more.

use std::sync::Arc;

use bytes::Bytes;
use care_core::{
    keys::{KeyRing, Scopes},
    model::Timestamp,
    rest::{Api, Limits},
    service::CareService,
    store::MemoryStore,
};
use care_testkit::{
    Wrap,
    metered::{Metered, QUANTUM, SHORT, fill},
};
use futures_executor::block_on;
use http::{Request, Response};
use serde_json::Value;

use crate::{
    clinic::{JSON, escaped, example_body},
    description::{Described, operations, resolve},
};

/// The most polls of a request. The longest takes some hundred.
const POLLS: usize = 20_000;

/// A full clinic on a store that counts.
struct Clinic {
    store: Arc<Wrap<Metered>>,
    api: Api,
}

impl Clinic {
    /// Returns a clinic with these records, of whose long requests one runs at once.
    fn with(records: &MemoryStore) -> Self {
        let now: Timestamp = "2026-03-15T12:00:00Z".parse().unwrap();
        let store = Metered::new(records.clone());
        let care = CareService::new(Arc::clone(&store)).with_clock(move || now);
        let keys = KeyRing::new().with_key("key", "key", Scopes::ALL).with_key("other", "other", Scopes::ALL);
        Self { store, api: Api::new(care).with_keys(keys).with_limits(Limits::new().with_long_work(1)) }
    }

    /// Polls a request this many times at most.
    fn polled(&self, request: Request<Bytes>, times: usize) -> (Option<Response<Bytes>>, Vec<usize>) {
        self.store.0.polled(Box::pin(self.api.handle(request)), times)
    }
}

fn full() -> MemoryStore {
    let now: Timestamp = "2026-03-15T12:00:00Z".parse().unwrap();
    let store = Arc::new(MemoryStore::new());
    block_on(fill(&CareService::new(Arc::clone(&store)).with_clock(move || now))).unwrap();
    (*store).clone()
}

/// Returns the values of a parameter that are tried, escaped.
fn values(parameter: &'static Value) -> Vec<String> {
    let schema = resolve(&parameter["schema"]);
    let words = schema["enum"].as_array().into_iter().flatten().map(escaped).collect::<Vec<_>>();
    match parameter["name"].as_str().unwrap() {
        _ if !words.is_empty() => words,
        "limit" => vec!["1".into(), "50".into(), "500".into()],
        "find" => vec!["a".into(), "example".into(), "ada%20example".into()],
        "similar" => vec!["true&find=exampel".into()],
        "medicine" => vec!["Medicine%201".into()],
        "version" => vec!["1".into(), "700".into(), "999999".into()],
        "patientId" | "prescriptionId" | "invoiceId" | "consultationId" => vec!["1".into()],
        "after" => vec!["0".into()],
        "wait" => vec!["0".into()],
        _ if schema["type"] == "boolean" => vec!["true".into(), "false".into()],
        _ => vec![escaped(&parameter["example"])],
    }
}

/// Returns requests to an operation: without a parameter that it does not need, and with each value of each of them.
fn requests(operation: Described) -> Vec<Request<Bytes>> {
    let path = operation.parameters("path").into_iter().fold(operation.path.to_owned(), |path, parameter| {
        let name = parameter["name"].as_str().unwrap();
        let value = if resolve(&parameter["schema"])["type"] == "string" { "Medicine%201" } else { "1" };
        path.replace(&format!("{{{name}}}"), value)
    });
    let pair = |parameter: &Value, value: &str| format!("{}={value}", parameter["name"].as_str().unwrap());
    let parameters = operation.parameters("query");
    let needed = parameters.iter().filter(|parameter| parameter["required"] == true);
    let needed: Vec<_> = needed.map(|parameter| pair(parameter, &values(parameter)[0])).collect();
    let mut queries = vec![needed.clone()];
    let has_limit = parameters.iter().any(|parameter| parameter["name"] == "limit");
    for parameter in parameters {
        for value in values(parameter) {
            let others = needed.iter().filter(|other| !other.starts_with(&pair(parameter, "")));
            let query: Vec<_> = others.cloned().chain([pair(parameter, &value)]).collect();
            if has_limit && parameter["name"] != "limit" {
                queries.push([query.clone(), vec!["limit=500".to_owned()]].concat());
            }
            queries.push(query);
        }
    }
    let requests = queries.into_iter().map(|query| {
        let uri = format!("/1.0.0{path}?{}", query.join("&"));
        let request = Request::builder().method(&*operation.method.to_uppercase()).uri(uri).header("api_key", "key");
        match example_body(operation, JSON) {
            Some(body) => request.header("content-type", JSON).body(body.into()).unwrap(),
            None => request.body(Bytes::new()).unwrap(),
        }
    });
    requests.collect()
}

#[test]
fn no_request_reads_more_than_a_little_without_a_slot_or_than_a_quantum_at_once() {
    let records = full();
    let shared = Clinic::with(&records);
    let mut long = Vec::new();
    let mut wrong = Vec::new();
    for operation in operations() {
        for request in requests(operation) {
            let is_read = request.method() == "GET";
            let said = format!("{} {}", request.method(), request.uri());
            let own = (!is_read).then(|| Clinic::with(&records));
            let clinic = own.as_ref().unwrap_or(&shared);
            let (answer, read) = clinic.polled(request, POLLS);
            let Some(answer) = answer else {
                wrong.push(format!("{said} does not end"));
                continue;
            };
            // A decision is a piece of its own.
            let first = if is_read { SHORT + QUANTUM } else { usize::MAX };
            if read.first().is_some_and(|read| *read > first) || read.iter().skip(1).any(|read| *read > QUANTUM) {
                wrong.push(format!("{said} reads at once {read:?}"));
            }
            if answer.status() == 200 && read.iter().sum::<usize>() > SHORT {
                long.push(said);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(long.len() > 20, "the clinic is full: {long:#?}");
    // While another request has the only slot, each reads no more than a little.
    let held = Clinic::with(&records);
    held.store.0.hold();
    let search = Request::get("/1.0.0/patient?find=ada").header("api_key", "other").body(Bytes::new()).unwrap();
    let mut search = Box::pin(held.api.handle(search));
    assert!(futures_util::FutureExt::now_or_never(search.as_mut()).is_none());
    for operation in operations().into_iter().filter(|operation| operation.method == "get") {
        for request in requests(operation) {
            let said = request.uri().to_string();
            let (answer, read) = held.polled(request, 20);
            let sum = read.iter().sum::<usize>();
            if sum > SHORT {
                wrong.push(format!("{said} reads {sum} without a slot"));
            }
            if answer.is_some_and(|answer| answer.status() == 200) && long.contains(&format!("GET {said}")) {
                wrong.push(format!("{said} is answered without a slot"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
