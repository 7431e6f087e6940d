//! A request in the parts that a client writes.

use crate::{Answer, Wire};

/// A request, in the parts that a client writes.
#[derive(Debug, Clone)]
pub struct RawRequest {
    /// The method.
    pub method: &'static str,
    /// The path and the query.
    pub target: String,
    /// The headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Option<String>,
}

/// Returns a request with a key and an id that makes the answers to it equal.
pub fn sent(method: &'static str, target: &str) -> RawRequest {
    RawRequest {
        method,
        target: target.to_owned(),
        headers: vec![("api_key", "secret".to_owned()), ("X-Request-Id", "the-same".to_owned())],
        body: None,
    }
}

impl RawRequest {
    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Takes the key away.
    #[must_use]
    pub fn without_key(mut self) -> Self {
        self.headers.retain(|(name, _)| *name != "api_key");
        self
    }

    /// Adds a body in JSON.
    #[must_use]
    pub fn body(self, body: &str) -> Self {
        self.header("Content-Type", "application/json").raw_body(body)
    }

    /// Adds a body without its type.
    #[must_use]
    pub fn raw_body(mut self, body: &str) -> Self {
        let length = body.len().to_string();
        self.body = Some(body.to_owned());
        self.header("Content-Length", &length)
    }

    /// Sends the body in chunks.
    #[must_use]
    pub fn chunked(mut self) -> Self {
        self.headers.retain(|(name, _)| *name != "Content-Length");
        self.header("Transfer-Encoding", "chunked")
    }

    /// Returns the head as it is sent.
    pub fn head(&self) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\nHost: localhost\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head + "\r\n"
    }

    /// Returns the whole request as it is sent.
    pub fn written(&self) -> String {
        let body = self.body.as_deref().unwrap_or_default();
        match self.headers.iter().any(|(name, _)| *name == "Transfer-Encoding") {
            false => self.head() + body,
            true => {
                let chunks = body
                    .as_bytes()
                    .chunks(7)
                    .map(|chunk| format!("{:x}\r\n{}\r\n", chunk.len(), String::from_utf8_lossy(chunk)));
                self.head() + &chunks.collect::<String>() + "0\r\n\r\n"
            }
        }
    }

    /// Sends the request over this connection, and returns the answer.
    pub fn over(&self, wire: &mut Wire) -> Answer {
        wire.send(self.written());
        let mut answer = wire.answer_to(self.method);
        // These headers are about the connection.
        answer.headers.retain(|(name, _)| !matches!(name.as_str(), "date" | "connection"));
        answer
    }
}
