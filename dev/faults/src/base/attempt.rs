//! Requests, their answers, and what clients know about their writes.

use std::time::Instant;

/// A request to the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: &'static str,
    /// The path and the query, below the base path.
    pub path: String,
    /// The `Idempotency-Key`.
    pub key: Option<String>,
    /// The body, in JSON.
    pub body: Option<String>,
    /// Other headers.
    pub headers: Vec<(&'static str, String)>,
}

/// An answer of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// `Location` or `Content-Location`.
    pub location: Option<String>,
    /// `ETag`.
    pub tag: Option<String>,
    /// The body.
    pub body: String,
}

/// A write, and what its client knows about its effect.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The request.
    pub request: Request,
    /// The marks that its effect leaves in the journal, see [`marks`](crate::work::prove::marks). No other request
    /// leaves them. Empty if it should write nothing.
    pub marks: Vec<String>,
    /// The client's knowledge of the result.
    pub outcome: Outcome,
    /// When it was sent.
    pub sent: Instant,
    /// The number of events before the answer, if the storm counts them: disk events, or steps of an operator.
    pub position: usize,
}

/// A client's knowledge of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Acknowledged: the effect must be there exactly once.
    Done,
    /// Refused for now (503, 507): the effect must never be there.
    Refused,
    /// Not answered, or answered with 500: the effect may be there completely and once, or not at all.
    Unknown,
}

/// A way to send requests to a service.
pub trait Port: Send {
    /// Sends a request and waits for the answer.
    fn ask(&mut self, request: &Request) -> Ending;
}

/// The end of a request, as its client sees it.
#[derive(Debug)]
pub enum Ending {
    /// It was answered.
    Answer(Answer),
    /// The connection broke before an answer arrived.
    Lost,
    /// No server was listening. Nothing was sent.
    Gone,
}

impl Ending {
    /// Returns the status of the answer, if there was one.
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Answer(answer) => Some(answer.status),
            Self::Lost | Self::Gone => None,
        }
    }
}

impl Request {
    pub(crate) fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), key: None, body: None, headers: Vec::new() }
    }

    pub(crate) fn body(self, body: impl Into<String>) -> Self {
        Self { body: Some(body.into()), ..self }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Registers the patient with this number, under a key that no other request has.
    pub(crate) fn registration(number: u64) -> Self {
        Self::new("POST", "/patient").body(format!(r#"{{"patientId":{number}}}"#)).key(format!("k{number}"))
    }

    pub(crate) fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }
}

impl Answer {
    /// Returns the number of the record: the last segment of its location.
    pub(crate) fn number(&self) -> Option<i64> {
        self.location.as_deref()?.rsplit('/').next()?.parse().ok()
    }
}
