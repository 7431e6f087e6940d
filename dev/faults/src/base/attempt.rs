//! Requests, their answers, and what clients know about their writes.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{Context as _, Failure, Result, ensure};

/// A request to the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    /// The method.
    pub(crate) method: &'static str,
    /// The path and the query, below the base path.
    pub(crate) path: String,
    /// The `Idempotency-Key`.
    pub(crate) key: Option<String>,
    /// The body, in JSON.
    pub(crate) body: Option<String>,
    /// Other headers.
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// An answer of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The status.
    pub(crate) status: u16,
    /// `Location` or `Content-Location`.
    pub(crate) location: Option<String>,
    /// `ETag`.
    pub(crate) tag: Option<String>,
    /// The body.
    pub(crate) body: String,
}

/// A write, and what its client knows about its effect.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    /// The request.
    pub(crate) request: Request,
    /// The marks that its effect leaves in the journal, see `marks` in `prove.rs`. No other request
    /// leaves them. Empty if it should write nothing.
    pub(crate) marks: Vec<String>,
    /// The client's knowledge of the result.
    pub(crate) outcome: Outcome,
    /// When it was sent.
    pub(crate) sent: Instant,
    /// The number of events on the disk before the answer, if the storm counts them.
    pub(crate) position: usize,
}

impl Attempt {
    /// Notes a request that is sent now, outside of a storm.
    pub(crate) fn new(request: Request, marks: Vec<String>, outcome: Outcome) -> Self {
        Self { request, marks, outcome, sent: Instant::now(), position: 0 }
    }

    /// Registers the patient with this number, and returns what the client then knows.
    pub(crate) fn register(port: &mut dyn Port, number: u64) -> Self {
        let request = Request::registration(number);
        let mut one = Self::new(request, vec![format!("reply k{number}")], Outcome::Unknown);
        one.outcome = match port.ask(&one.request).status() {
            Some(201) => Outcome::Done,
            Some(503 | 507) => Outcome::Refused,
            _ => Outcome::Unknown,
        };
        one
    }
}

/// A client's knowledge of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Acknowledged: the effect must be there exactly once.
    Done,
    /// Refused for now (503, 507): the effect must never be there.
    Refused,
    /// Not answered, or answered with 500: the effect may be there completely and once, or not at all.
    Unknown,
}

/// A way to send requests to a service.
pub(crate) trait Port: Send {
    /// Sends a request and waits for the answer.
    fn ask(&mut self, request: &Request) -> Ending;
}

/// A way for clients to reach the service: a server, the service in this process, or several by turns.
pub(crate) trait Front {
    /// Makes the client with this number.
    fn client(&self, number: usize) -> Box<dyn Port>;

    /// Makes this many clients.
    fn ports(&self, count: usize) -> Vec<Box<dyn Port>> {
        (0..count).map(|number| self.client(number)).collect()
    }
}

impl<F: Front> Front for [F] {
    fn client(&self, number: usize) -> Box<dyn Port> {
        self[number % self.len()].client(number)
    }
}

/// The end of a request, as its client sees it.
#[derive(Debug)]
pub(crate) enum Ending {
    /// It was answered.
    Answer(Answer),
    /// The connection broke before an answer arrived.
    Lost,
    /// No server was listening. Nothing was sent.
    Gone,
}

impl Ending {
    /// Returns the answer, if there was one.
    pub(crate) fn answer(self) -> Option<Answer> {
        match self {
            Self::Answer(answer) => Some(answer),
            Self::Lost | Self::Gone => None,
        }
    }

    /// Returns the status of the answer, if there was one.
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Answer(answer) => Some(answer.status),
            Self::Lost | Self::Gone => None,
        }
    }
}

/// Sends a request that must succeed, and returns its answer.
pub(crate) fn ask(port: &mut dyn Port, request: Request) -> Result<Answer> {
    match port.ask(&request) {
        Ending::Answer(answer) if answer.status < 300 => Ok(answer),
        said => Err(Failure::new(format!("{request:?} is answered {said:?}"))),
    }
}

/// Posts a body, which must succeed, and returns the answer.
pub(crate) fn post(port: &mut dyn Port, path: &str, body: impl Into<String>) -> Result<Answer> {
    ask(port, Request::new("POST", path).body(body))
}

/// Sends a request that must be answered with this status.
pub(crate) fn told(port: &mut dyn Port, request: &Request, status: u16) -> Result<()> {
    let said = port.ask(request);
    ensure!(
        said.status() == Some(status),
        "{} {} must be answered {status}, but: {said:?}",
        request.method,
        request.path
    );
    Ok(())
}

/// Sends a request until it is answered with this status, for this time at most. Returns how long that took.
pub(crate) fn becomes(port: &mut dyn Port, request: &Request, status: u16, limit: Duration) -> Result<Duration> {
    let begun = Instant::now();
    loop {
        match told(port, request, status) {
            Err(_) if begun.elapsed() < limit => thread::sleep(Duration::from_millis(5)),
            told => return told.when(format!("after {limit:?}")).map(|()| begun.elapsed()),
        }
    }
}

impl Request {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new("GET", path)
    }

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

    /// Returns the document in the body.
    pub(crate) fn document(&self) -> Result<Value> {
        Ok(serde_json::from_str(&self.body)?)
    }
}
