//! The service that is served, and requests to it.

use bytes::Bytes;
use care_core::{
    model::Timestamp,
    rest::{Api, KeyRing, Scopes},
    service::CareService,
    store::{CareStore, MemoryStore},
};
use futures_executor::block_on;

use crate::wire::{Answer, Wire};

pub(crate) const LIMIT: usize = 256;

/// A request, and how it is written.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) method: &'static str,
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Option<String>,
}

/// The service with one patient, one medicine and one prescription, always the same; a short limit for bodies.
pub(crate) fn api() -> Api {
    let api = api_on(MemoryStore::new());
    fill(&api);
    api
}

/// The service on this store.
pub(crate) fn api_on(store: impl CareStore + 'static) -> Api {
    let noon = Timestamp::from_unix_millis(1_773_576_000_000).unwrap();
    let care = CareService::new(store).with_clock(move || noon);
    Api::new(care)
        .with_keys(KeyRing::new().with_key("secret", "tests", Scopes::ALL))
        .with_body_limit(LIMIT)
}

pub(crate) fn fill(api: &Api) {
    for (target, body) in [
        (
            "/1.0.0/patient",
            r#"{"patientId": 1, "name": "Ada Example"}"#,
        ),
        ("/1.0.0/inventory/Ibuprofen%20400", r#"{"price": 3}"#),
        (
            "/1.0.0/prescriptions",
            r#"{"patientId": 1, "medicine": "Ibuprofen 400"}"#,
        ),
    ] {
        let status = handle(api, &sent("POST", target).body(body)).status;
        assert!(status < 300, "{target}: {status}");
    }
}

/// A request with a key and an id that makes the answers to it equal.
pub(crate) fn sent(method: &'static str, target: &str) -> Sent {
    Sent {
        method,
        target: target.to_owned(),
        headers: vec![
            ("api_key", "secret".to_owned()),
            ("X-Request-Id", "the-same".to_owned()),
        ],
        body: None,
    }
}

impl Sent {
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn without_key(mut self) -> Self {
        self.headers.retain(|(name, _)| *name != "api_key");
        self
    }

    /// With a body, in JSON.
    pub(crate) fn body(self, body: &str) -> Self {
        self.header("Content-Type", "application/json")
            .raw_body(body)
    }

    pub(crate) fn raw_body(mut self, body: &str) -> Self {
        let length = body.len().to_string();
        self.body = Some(body.to_owned());
        self.header("Content-Length", &length)
    }

    pub(crate) fn chunked(mut self) -> Self {
        self.headers.retain(|(name, _)| *name != "Content-Length");
        self.header("Transfer-Encoding", "chunked")
    }

    pub(crate) fn head(&self) -> String {
        let mut head = format!(
            "{} {} HTTP/1.1\r\nHost: localhost\r\n",
            self.method, self.target
        );
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head + "\r\n"
    }

    pub(crate) fn written(&self) -> String {
        let body = self.body.as_deref().unwrap_or_default();
        match self
            .headers
            .iter()
            .any(|(name, _)| *name == "Transfer-Encoding")
        {
            false => self.head() + body,
            true => {
                let chunks = body.as_bytes().chunks(7).map(|chunk| {
                    format!(
                        "{:x}\r\n{}\r\n",
                        chunk.len(),
                        String::from_utf8_lossy(chunk)
                    )
                });
                self.head() + &chunks.collect::<String>() + "0\r\n\r\n"
            }
        }
    }

    /// Over this connection.
    pub(crate) fn over(&self, wire: &mut Wire) -> Answer {
        wire.send(self.written());
        let mut answer = wire.answer_to(self.method);
        // The connection's own affairs.
        answer
            .headers
            .retain(|(name, _)| !matches!(name.as_str(), "date" | "connection"));
        answer
    }
}

/// What the service itself answers.
pub(crate) fn handle(api: &Api, sent: &Sent) -> Answer {
    let mut request = http::Request::builder()
        .method(sent.method)
        .uri(sent.target.as_str());
    for (name, value) in &sent.headers {
        request = request.header(*name, value);
    }
    let body = Bytes::from(sent.body.clone().unwrap_or_default());
    let response = block_on(api.handle(request.body(body).unwrap()));
    let (head, body) = response.into_parts();
    let headers = head.headers.iter();
    let mut headers: Vec<_> = headers
        .map(|(name, value)| (name.as_str().to_owned(), value.to_str().unwrap().to_owned()))
        .collect();
    headers.sort();
    Answer {
        status: head.status.as_u16(),
        headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    }
}
