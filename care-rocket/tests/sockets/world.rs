//! The service that is served.

use bytes::Bytes;
use care_core::{
    keys::{KeyRing, Scopes},
    model::Timestamp,
    rest::{Api, Limits},
    service::CareService,
    store::{CareStore, Epoch, MemoryStore},
};
use care_testkit::{Answer, RawRequest, sent};
use futures_executor::block_on;

const LIMIT: usize = 256;

/// Returns the service with one patient, one medicine and one prescription, always the same; a short limit for bodies.
pub(crate) fn api() -> Api {
    let api = api_on(MemoryStore::new().with_epoch(Epoch::new(0x5eed_5eed)));
    fill(&api);
    api
}

/// Returns the service on this store.
pub(crate) fn api_on(store: impl CareStore + 'static) -> Api {
    let noon = Timestamp::from_unix_millis(1_773_576_000_000).unwrap();
    let care = CareService::new(store).with_clock(move || noon);
    Api::new(care)
        .with_keys(KeyRing::new().with_key("secret", "tests", Scopes::ALL))
        .with_limits(Limits::new().with_body(LIMIT))
}

pub(crate) fn fill(api: &Api) {
    for (target, body) in [
        ("/1.0.0/patient", r#"{"patientId": 1, "name": "Ada Example"}"#),
        ("/1.0.0/inventory/Ibuprofen%20400", r#"{"price": 3}"#),
        ("/1.0.0/prescriptions", r#"{"patientId": 1, "medicine": "Ibuprofen 400"}"#),
    ] {
        let status = handle(api, &sent("POST", target).body(body)).status;
        assert!(status < 300, "{target}: {status}");
    }
}

/// Returns the answer of the service itself, without a frontend.
pub(crate) fn handle(api: &Api, sent: &RawRequest) -> Answer {
    let mut request = http::Request::builder().method(sent.method).uri(sent.target.as_str());
    for (name, value) in &sent.headers {
        request = request.header(*name, value);
    }
    let body = Bytes::from(sent.body.clone().unwrap_or_default());
    let response = block_on(api.handle(request.body(body).unwrap()));
    let (head, body) = response.into_parts();
    let headers = head.headers.iter();
    let mut headers: Vec<_> =
        headers.map(|(name, value)| (name.as_str().to_owned(), value.to_str().unwrap().to_owned())).collect();
    headers.sort();
    Answer { status: head.status.as_u16(), headers, body: String::from_utf8(body.to_vec()).unwrap() }
}
