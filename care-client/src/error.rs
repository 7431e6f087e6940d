//! The errors of the client.

use std::{error::Error, fmt, time::Duration};

use http::{HeaderMap, StatusCode, header};
use serde::Deserialize;

/// The reason why a call failed. No form of it shows a key, a path, a query or a body.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The base address, the key or a parameter cannot be sent.
    #[error("{0} cannot be sent")]
    Unsendable(&'static str),
    /// The client cannot be made: TLS has no certificates to trust, for example.
    #[error("no client can be made")]
    Setup(#[source] Box<dyn Error + Send + Sync>),
    /// The service refused. Nothing was done, unless the status is 500, when the service itself does not know.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// No connection was made, so nothing was done.
    #[error("the service cannot be reached")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// The answer was lost. A read did nothing; whether a write was done is not known.
    #[error("the answer was lost; whether a write was done is not known")]
    Lost(#[source] Box<dyn Error + Send + Sync>),
    /// The answer is none of this service.
    #[error("the answer cannot be read")]
    Unreadable(#[source] Box<dyn Error + Send + Sync>),
}

/// The problem with which the service refused (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The status.
    pub status: StatusCode,
    /// The last word of the problem's `type`, such as `not-found`; empty when something else than the service answered.
    pub kind: String,
    /// The kind of problem, in words.
    pub title: String,
    /// The way out, in words.
    pub detail: String,
    /// The id of the request, to be found in the service's log.
    pub request_id: Option<String>,
    /// The fields at fault.
    pub faults: Vec<FieldFault>,
    /// The time to wait before another try, where the service says so.
    pub retry_after: Option<Duration>,
}

/// A field at fault, and the rule that it breaks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FieldFault {
    /// The field, `prescriptions[0].price` for a nested one.
    pub field: String,
    /// The rule.
    pub detail: String,
}

/// The problem in the form in which it is sent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    r#type: String,
    title: String,
    detail: String,
    errors: Vec<FieldFault>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let text = |name| headers.get(name).and_then(|value: &http::HeaderValue| value.to_str().ok());
        let details: Details = serde_json::from_slice(body).unwrap_or_default();
        Self {
            status,
            kind: details.r#type.strip_prefix("urn:care:problem:").unwrap_or_default().to_owned(),
            title: details.title,
            detail: details.detail,
            request_id: text(http::HeaderName::from_static("x-request-id")).map(str::to_owned),
            faults: details.errors,
            retry_after: text(header::RETRY_AFTER).and_then(|after| after.parse().ok()).map(Duration::from_secs),
        }
    }

    /// Returns whether the service itself refused, and not a proxy on the way.
    pub(crate) const fn is_of_the_service(&self) -> bool {
        !self.kind.is_empty()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.status.as_u16(), if self.title.is_empty() { "refused" } else { &self.title })?;
        self.faults.iter().try_for_each(|FieldFault { field, detail }| write!(f, "; {field} {detail}"))
    }
}

impl ClientError {
    /// Returns the problem, if the service answered with one.
    pub const fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// Returns the status of the refusal, if it is one.
    pub fn status(&self) -> Option<StatusCode> {
        self.refusal().map(|refusal| refusal.status)
    }

    pub(crate) fn of_transport(error: reqwest::Error) -> Self {
        let is_connect = error.is_connect();
        // The address may hold a name.
        let source = Box::new(error.without_url());
        if is_connect { Self::Unreachable(source) } else { Self::Lost(source) }
    }
}
