//! The errors of the client.

use std::{error::Error, fmt, time::Duration};

use http::{HeaderMap, StatusCode, header};
use serde::Deserialize;

/// The reason why a call failed. Neither `Debug` nor `Display` shows a key, a path, a query or a body.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The key or a parameter is malformed and cannot be sent.
    #[error("{0} cannot be sent")]
    Unsendable(&'static str),
    /// The base address does not begin with `http://` or `https://`, or it has a query or a fragment.
    #[error("the base address must begin with http:// or https://, and have neither a query nor a fragment")]
    Address,
    /// The client cannot be set up: for example, the system has no certificates to trust.
    #[error("no client can be made")]
    Setup(#[source] Box<dyn Error + Send + Sync>),
    /// The service refused the request. Nothing was changed, unless the status is 500: then the service itself does not
    /// know.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// No connection could be made, so nothing was changed.
    #[error("the service cannot be reached")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// The answer was lost. A read changed nothing; a write may or may not have been done.
    #[error("the answer was lost; whether a write was done is not known")]
    Lost(#[source] Box<dyn Error + Send + Sync>),
    /// The answer does not come from this service, or cannot be read.
    #[error("the answer cannot be read")]
    Unreadable(#[source] Box<dyn Error + Send + Sync>),
}

/// The problem document with which the service refused a request (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The status.
    pub status: StatusCode,
    /// The last segment of the problem's `type`, such as `not-found`; empty if something other than the service
    /// answered.
    pub kind: String,
    /// The title of this kind of problem.
    pub title: String,
    /// The explanation, and what the caller can do about it.
    pub detail: String,
    /// The request id, under which the service logged the request.
    pub request_id: Option<String>,
    /// The fields at fault.
    pub faults: Vec<FieldFault>,
    /// The pause to make before the next try, if the service asked for one.
    pub retry_after: Option<Duration>,
}

/// A field at fault, and the rule that it breaks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FieldFault {
    /// The field's path, such as `prescriptions[0].price`.
    pub field: String,
    /// The rule that it breaks.
    pub detail: String,
}

/// The problem document as it is sent.
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

    /// Returns whether the service itself refused the request, rather than a proxy in between.
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
    /// Returns the refusal, if the service answered with one.
    pub const fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// Returns the status of the refusal, if the service refused.
    pub fn status(&self) -> Option<StatusCode> {
        self.refusal().map(|refusal| refusal.status)
    }

    pub(crate) fn of_transport(error: reqwest::Error) -> Self {
        let is_connect = error.is_connect();
        // The URL may hold a person's name.
        let source = Box::new(error.without_url());
        if is_connect { Self::Unreachable(source) } else { Self::Lost(source) }
    }
}
