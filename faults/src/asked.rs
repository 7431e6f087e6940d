//! What clients have asked for, and what they know of it.

use std::time::Instant;

/// A request to the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: &'static str,
    /// Below the base path.
    pub path: String,
    /// The `Idempotency-Key`.
    pub key: Option<String>,
    /// In JSON.
    pub body: Option<String>,
    /// Other headers.
    pub headers: Vec<(&'static str, String)>,
}

/// What came back.
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

/// A request that changes something, and its effect.
#[derive(Debug, Clone)]
pub struct Asked {
    /// What was sent.
    pub request: Request,
    /// The marks that its effect leaves in the journal, see [`marks`](crate::prove::marks). Each request leaves others.
    pub marks: Vec<String>,
    /// What the client knows.
    pub outcome: Outcome,
    /// When it was sent.
    pub sent: Instant,
    /// How much had happened on the disk when the answer came, where that is recorded.
    pub position: usize,
}

/// What a client knows of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Acknowledged: it must be there, once.
    Done,
    /// Refused for now (503, 507): nothing of it may ever be there.
    Refused,
    /// No answer, or one that says that the outcome is unknown (500): whole and once, or not at all.
    Unknown,
}

/// A way to ask.
pub trait Port: Send {
    /// Sends a request and waits for the answer.
    fn ask(&mut self, request: &Request) -> Said;
}

/// What a port comes back with.
#[derive(Debug)]
pub enum Said {
    /// An answer.
    Answer(Answer),
    /// The connection ended before there was one.
    Lost,
    /// There is nobody to ask. Nothing was sent.
    Gone,
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

    pub(crate) fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }
}

impl Answer {
    /// The last segment of where the record is: its number.
    pub(crate) fn number(&self) -> Option<i64> {
        self.location.as_deref()?.rsplit('/').next()?.parse().ok()
    }
}
