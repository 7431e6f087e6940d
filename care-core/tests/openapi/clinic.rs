//! A service that is used only through the document: its paths, its parameters, its examples.

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    keys::{KeyRing, Scopes},
    model::{Address, Name, Timestamp},
    rest::Api,
    service::{CareService, Facility},
    store::{Act, CareStore, Decision, Entry, Limit, MemoryStore, Portion, Query, Question, Record, Seq, Versioned},
};
use care_testkit::{Hooks, Wrap};
use futures_executor::block_on;
use http::{Request, Response, request::Builder};
use serde_json::Value;

use crate::{
    description::{Described, operation},
    markup, schema,
};

pub(crate) const JSON: &str = "application/json";
pub(crate) const XML: &str = "application/xml";

/// The headers that every answer may carry without being described.
const GENERIC: [&str; 6] =
    ["content-type", "content-length", "vary", "cache-control", "x-content-type-options", "connection"];

/// A service with a key that has every scope and one that has none.
pub(crate) struct Clinic {
    pub(crate) api: Api,
}

impl Clinic {
    /// Returns a service without records.
    pub(crate) fn new() -> Self {
        Self::on(MemoryStore::new())
    }

    /// Returns a service whose store fails in this way.
    pub(crate) fn failing(kind: StoreErrorKind) -> Self {
        Self::on(Wrap(Failing(MemoryStore::new(), kind)))
    }

    /// Returns a service in which these operations have been run with the examples of the document.
    pub(crate) fn after(ids: &[&str]) -> Self {
        let clinic = Self::new();
        for id in ids {
            // These records appear in no example.
            let special = match *id {
                "startEmpty" => Some(("startStock", r#"{"unit":"tablets","supplyUnits":30}"#)),
                "hold" => Some(("updateStock", r#"{"held":true}"#)),
                "full" => Some(("countStock", r#"{"lines":[{"counted":1000000000}]}"#)),
                _ => None,
            };
            if let Some((id, body)) = special {
                let request = clinic.request(operation(id)).header("content-type", JSON);
                let answer = clinic.send(request.body(body.into()).unwrap());
                assert!(answer.status().is_success(), "{id}: {answer:?}");
                continue;
            }
            let answer = clinic.send(clinic.example(operation(id), JSON));
            assert!(answer.status().is_success(), "{id}: {answer:?}");
        }
        clinic
    }

    fn on(store: impl CareStore + 'static) -> Self {
        let now: Timestamp = "2026-03-15T12:00:00Z".parse().unwrap();
        let (name, address) = (Name::new("Sample Clinic").ok(), Address::new("1 Sample Street, Sampleton").ok());
        let facility = Facility { name, address, ..Facility::default() };
        let care = CareService::new(store).with_clock(move || now).with_facility(facility);
        let keys = KeyRing::new().with_key("full", "front desk", Scopes::ALL).with_key("none", "visitor", Scopes::NONE);
        Self { api: Api::new(care).with_keys(keys) }
    }

    /// Returns a request to the operation with the example of each required parameter, and without a body.
    pub(crate) fn request(&self, operation: Described) -> Builder {
        let path = operation.parameters("path").into_iter().fold(operation.path.to_owned(), |path, parameter| {
            let name = parameter["name"].as_str().unwrap();
            path.replace(&format!("{{{name}}}"), &escaped(&parameter["example"]))
        });
        let needed = operation.parameters("query").into_iter().filter(|parameter| parameter["required"] == true);
        let needed = needed
            .map(|parameter| format!("?{}={}", parameter["name"].as_str().unwrap(), escaped(&parameter["example"])));
        let uri = format!("{}{path}{}", self.api.base_path(), needed.collect::<String>());
        Request::builder().method(&*operation.method.to_uppercase()).uri(uri).header("api_key", "full")
    }

    /// Returns a request to the operation with the example of its body in this form.
    pub(crate) fn example(&self, operation: Described, form: &str) -> Request<Bytes> {
        let request = self.request(operation).header("accept", form);
        match example_body(operation, form) {
            Some(body) => request.header("content-type", form).body(body.into()).unwrap(),
            None => request.body(Bytes::new()).unwrap(),
        }
    }

    pub(crate) fn send(&self, request: Request<Bytes>) -> Response<Bytes> {
        block_on(self.api.handle(request))
    }
}

/// Returns the example of the operation's body in this form; `None` without a body.
pub(crate) fn example_body(operation: Described, form: &str) -> Option<String> {
    let example = operation.node.get("requestBody")?["content"][form]["example"].clone();
    Some(match example {
        Value::String(markup) => markup,
        json => json.to_string(),
    })
}

/// Checks that the document describes this answer: its status, its headers, its body.
pub(crate) fn assert_foretold(operation: Described, answer: &Response<Bytes>) {
    let (id, status) = (operation.id(), answer.status().as_u16());
    let Some(described) = operation.response(status) else {
        panic!("{id} answers {status}, which is not in the document: {answer:?}");
    };
    let headers = described["headers"].as_object().unwrap();
    for name in answer.headers().keys().map(http::HeaderName::as_str) {
        let is_known = GENERIC.contains(&name) || headers.keys().any(|known| known.eq_ignore_ascii_case(name));
        assert!(is_known, "{id} {status} carries {name}");
    }
    // These headers depend on the answer.
    let now_and_then = match operation.parameters("query").iter().any(|parameter| parameter["name"] == "version") {
        true => &["Link", "Accept-Encoding", "Content-Location"][..],
        false => &["Link", "Accept-Encoding"][..],
    };
    let always = headers.keys().filter(|name| !now_and_then.contains(&name.as_str()));
    for name in always {
        assert!(answer.headers().contains_key(name), "{id} {status} lacks {name}");
    }
    let Some(media_type) = answer.headers().get("content-type") else {
        assert!(answer.body().is_empty() && described.get("content").is_none(), "{id} {status}");
        return;
    };
    let media_type = media_type.to_str().unwrap();
    let schema = &described["content"][media_type]["schema"];
    assert!(schema.is_object(), "{id} {status} in {media_type}");
    // Other tests check the document itself.
    if id == "getOpenapi" && answer.status().is_success() {
        return;
    }
    let body = match media_type.ends_with("xml") {
        true => markup::to_json(schema, answer.body()),
        false => serde_json::from_slice(answer.body()).unwrap(),
    };
    let faults = schema::faults(schema, &body);
    assert!(faults.is_empty(), "{id} {status} in {media_type}: {faults:#?}");
}

/// Returns a parameter's value, escaped for a URI.
pub(crate) fn escaped(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let bytes = text.bytes();
    bytes.map(|b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// A store that answers nothing.
struct Failing(MemoryStore, StoreErrorKind);

#[async_trait]
impl Hooks for Failing {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.0
    }

    async fn read(&self, _: &mut Question<'_>) -> Result<(), Error> {
        Err(StoreError::from(self.1).into())
    }

    async fn list(&self, _: &Query, _: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        Err(self.1.into())
    }

    async fn transact(&self, _: Act, _: Decision) -> Result<Option<Seq>, Error> {
        Err(StoreError::from(self.1).into())
    }

    async fn journal(&self, _: Seq, _: Limit) -> Result<Portion<Entry>, StoreError> {
        Err(self.1.into())
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        Err(self.1.into())
    }
}
