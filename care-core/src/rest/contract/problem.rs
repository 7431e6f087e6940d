//! The error envelope: problem details (RFC 9457), in JSON and in XML.

use std::{borrow::Cow, sync::Arc};

use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{answer::Answer, status::status};
use crate::{
    error::{Conflict, Error, FieldError, StoreErrorKind},
    rest::{
        body::{encode, faults::BodyRefusal, syntax::Syntax},
        http::media::Format,
    },
};

/// The reason why a request is refused.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The key is missing, unknown, or not the only one.
    Unauthorized,
    /// The host names no principal for the request.
    NoPrincipal {
        /// The HTTP authentication scheme of the host.
        scheme: Arc<str>,
    },
    /// The address has sent too many requests without a valid key.
    TooManyFailures {
        /// The seconds until the address may try again.
        seconds: u64,
    },
    /// The key's scopes do not include the operation's.
    Forbidden,
    /// No operation has this path.
    NoSuchPath,
    /// The path cannot be decoded.
    UndecodablePath,
    /// The path is known, but the method is not allowed on it.
    MethodNotAllowed { allow: String },
    /// The body has a content coding.
    EncodedBody,
    /// The type of the body is not one of ours.
    UnsupportedType,
    /// The client accepts none of our types.
    NotAcceptable { in_xml: bool },
    /// Too many requests are under way.
    Overloaded,
    /// The path and query are over the limit.
    TargetTooLong,
    /// The headers are over the limit.
    HeadTooLarge,
    /// The request took too long. The outcome of a write is then unknown.
    Late { is_read: bool },
    /// The body is over the limit.
    TooLarge,
    /// The body did not arrive in time.
    TimedOut,
    /// The body is incomplete.
    BrokenBody,
    /// The body is not a valid document of its type.
    Syntax(Syntax),
    /// Parameters or members cannot be decoded.
    Malformed(Vec<FieldError>),
    /// The domain refuses the request.
    Domain(Error),
    /// A part of the service is broken.
    Internal,
}

/// The problem document.
#[derive(Debug, Serialize)]
struct Details<'a> {
    #[serde(rename = "@xmlns", skip_serializing_if = "Option::is_none")]
    xmlns: Option<&'static str>,
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: Cow<'static, str>,
    instance: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Errors<'a>>,
}

/// A list, which the schema of the XML form writes as `<i>` elements.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Errors<'a> {
    Json(Vec<FieldProblem<'a>>),
    Xml { i: Vec<FieldProblem<'a>> },
}

#[derive(Debug, Serialize)]
struct FieldProblem<'a> {
    field: &'a str,
    detail: &'static str,
}

impl Problem {
    /// Returns the answer with the problem document.
    pub(crate) fn answer(&self, format: Format, request_id: &str) -> Answer {
        let (status, kind, title) = self.kind();
        let faults = self.faults();
        let details = Details {
            xmlns: (format == Format::Xml).then_some("urn:ietf:rfc:7807"),
            r#type: kind,
            title,
            status: status.as_u16(),
            detail: self.detail(),
            instance: format!("urn:care:request:{request_id}"),
            errors: (!faults.is_empty()).then_some(match format {
                Format::Json => Errors::Json(faults),
                Format::Xml => Errors::Xml { i: faults },
            }),
        };
        let body = encode::document(format, "problem", &details);
        let media_type = HeaderValue::from_static(Self::media_type(format));
        let mut answer = Answer::new(status).with_body(media_type, body);
        for (name, value) in self.headers() {
            answer = answer.with_header(name, value);
        }
        answer
    }

    /// Returns the media type of problem documents.
    pub(crate) const fn media_type(format: Format) -> &'static str {
        match format {
            Format::Json => "application/problem+json",
            Format::Xml => "application/problem+xml",
        }
    }

    /// Returns the status, the stable identifier and the title of the problem.
    pub(crate) fn kind(&self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "urn:care:problem:unauthorized", "A valid key is needed"),
            Self::NoPrincipal { .. } => {
                (StatusCode::UNAUTHORIZED, "urn:care:problem:unauthorized", "Authentication is needed")
            }
            Self::TooManyFailures { .. } => {
                (StatusCode::TOO_MANY_REQUESTS, "urn:care:problem:too-many-failures", "Too many keys were wrong")
            }
            Self::Forbidden => (StatusCode::FORBIDDEN, "urn:care:problem:forbidden", "The key does not allow this"),
            Self::NoSuchPath => (StatusCode::NOT_FOUND, "urn:care:problem:no-such-path", "There is no such path"),
            Self::UndecodablePath => {
                (StatusCode::BAD_REQUEST, "urn:care:problem:undecodable-path", "The path cannot be decoded")
            }
            Self::MethodNotAllowed { .. } => {
                (StatusCode::METHOD_NOT_ALLOWED, "urn:care:problem:method-not-allowed", "The method is not allowed")
            }
            Self::EncodedBody => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "urn:care:problem:encoded-body", "The body must not be encoded")
            }
            Self::UnsupportedType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "urn:care:problem:unsupported-type",
                "The type of the body is not supported",
            ),
            Self::NotAcceptable { .. } => {
                (StatusCode::NOT_ACCEPTABLE, "urn:care:problem:not-acceptable", "No acceptable form can be answered")
            }
            Self::Overloaded => {
                (StatusCode::SERVICE_UNAVAILABLE, "urn:care:problem:overloaded", "The server has too much to do")
            }
            Self::TargetTooLong => {
                (StatusCode::URI_TOO_LONG, "urn:care:problem:target-too-long", "The path and query are too long")
            }
            Self::HeadTooLarge => (
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "urn:care:problem:headers-too-large",
                "The headers are too large",
            ),
            Self::Late { is_read: true } => {
                (StatusCode::SERVICE_UNAVAILABLE, "urn:care:problem:late", "The answer took too long")
            }
            Self::Late { is_read: false } => {
                (StatusCode::INTERNAL_SERVER_ERROR, "urn:care:problem:late", "The answer took too long")
            }
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "urn:care:problem:too-large", "The body is too large"),
            Self::TimedOut => {
                (StatusCode::REQUEST_TIMEOUT, "urn:care:problem:timed-out", "The body did not arrive in time")
            }
            Self::BrokenBody => {
                (StatusCode::BAD_REQUEST, "urn:care:problem:broken-body", "The body did not arrive whole")
            }
            Self::Syntax(_) => {
                (StatusCode::BAD_REQUEST, "urn:care:problem:syntax", "The body is not a document of its type")
            }
            Self::Malformed(_) => {
                (StatusCode::BAD_REQUEST, "urn:care:problem:malformed", "The request cannot be understood")
            }
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "urn:care:problem:internal", "The server failed"),
            Self::Domain(error) => {
                let (kind, title) = domain_kind(error);
                (status(error), kind, title)
            }
        }
    }

    /// Returns the detail of the problem. It never contains a submitted value or a library's own text.
    fn detail(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Unauthorized => "Send one api_key header with a valid key.",
            Self::NoPrincipal { .. } => "Authenticate as the WWW-Authenticate header says.",
            Self::TooManyFailures { .. } => {
                "Nothing was done. Try again after the time in Retry-After, with a valid key."
            }
            Self::Forbidden => "The key lacks the scope that this operation needs.",
            Self::NoSuchPath => "No operation has this path.",
            Self::UndecodablePath => "The path contains a bad percent-escape or is not UTF-8.",
            Self::MethodNotAllowed { .. } => "The Allow header lists the methods of this path.",
            Self::EncodedBody => "Send the body without a Content-Encoding.",
            Self::UnsupportedType => {
                "Send the body with one Content-Type, application/json or application/xml, in UTF-8."
            }
            Self::NotAcceptable { in_xml: true } => "Accept application/json or application/xml.",
            Self::NotAcceptable { in_xml: false } => "Accept application/json.",
            Self::Overloaded => "Nothing was done. Try again later.",
            Self::TargetTooLong => "The path and query are over the limit.",
            Self::HeadTooLarge => "The headers are over the limit.",
            Self::Late { is_read: true } => "Try again later.",
            Self::Late { is_read: false } => {
                "The outcome of the change is not known. Read the record before you try again."
            }
            Self::TooLarge => "The body is over the limit.",
            Self::TimedOut => "Send the whole body faster.",
            Self::BrokenBody => "The body is incomplete, or its framing is wrong.",
            Self::Syntax(Syntax(detail)) => detail,
            Self::Malformed(_) => "The fields at fault are listed.",
            Self::Internal => "The cause is in the log of the server, under the request id.",
            Self::Domain(error) => return domain_detail(error),
        })
    }

    fn faults(&self) -> Vec<FieldProblem<'_>> {
        let (Self::Malformed(errors) | Self::Domain(Error::Invalid(errors))) = self else {
            return Vec::new();
        };
        errors.iter().map(|error| FieldProblem { field: &error.field, detail: error.detail }).collect()
    }

    fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        match self {
            Self::NoPrincipal { scheme } => {
                let challenge = HeaderValue::try_from(&**scheme).ok();
                challenge.map(|challenge| (header::WWW_AUTHENTICATE, challenge)).into_iter().collect()
            }
            Self::Unauthorized => {
                vec![(header::WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey header=\"api_key\""))]
            }
            Self::TooManyFailures { seconds } => vec![(header::RETRY_AFTER, HeaderValue::from(*seconds))],
            Self::MethodNotAllowed { allow } => {
                HeaderValue::try_from(allow).map(|allow| (header::ALLOW, allow)).into_iter().collect()
            }
            Self::EncodedBody => vec![(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"))],
            _ if self.kind().0 == StatusCode::SERVICE_UNAVAILABLE => {
                vec![(header::RETRY_AFTER, HeaderValue::from_static("1"))]
            }
            _ => Vec::new(),
        }
    }
}

const fn domain_kind(error: &Error) -> (&'static str, &'static str) {
    match error {
        Error::Invalid(_) => ("urn:care:problem:invalid", "Some values are not allowed"),
        Error::NotFound(_) => ("urn:care:problem:not-found", "There is no such record"),
        Error::Stale(_) => ("urn:care:problem:stale", "The record has changed"),
        Error::Conflict(conflict) => match conflict {
            Conflict::PatientExists => ("urn:care:problem:patient-exists", "The patient number is already used"),
            Conflict::NoNumberLeft => ("urn:care:problem:no-number-left", "No number is left"),
            Conflict::ItemExists => ("urn:care:problem:medicine-exists", "The inventory already has this medicine"),
            Conflict::AlreadyPrescribed => {
                ("urn:care:problem:already-prescribed", "The medicine is already prescribed")
            }
            Conflict::HistoryFull => ("urn:care:problem:history-full", "No more diseases can be recorded"),
            Conflict::TooManyPrescriptions => {
                ("urn:care:problem:too-many-prescriptions", "The patient has too many active prescriptions")
            }
            Conflict::UnpaidInvoice => ("urn:care:problem:unpaid-invoice", "An invoice is unpaid"),
            Conflict::InvoicePaid => ("urn:care:problem:invoice-paid", "The invoice is already paid"),
            Conflict::PrescriptionCompleted => {
                ("urn:care:problem:prescription-completed", "The prescription is completed")
            }
            Conflict::AlreadyTracked => ("urn:care:problem:already-tracked", "The stock is already tracked"),
            Conflict::StockLeft => ("urn:care:problem:stock-left", "Units are left"),
            Conflict::InsufficientStock => ("urn:care:problem:insufficient-stock", "There is not enough stock"),
            Conflict::TooManyLots => ("urn:care:problem:too-many-lots", "There are too many open lots"),
            Conflict::TooMuchStock => ("urn:care:problem:too-much-stock", "There is too much stock"),
            Conflict::AlreadyReversed => ("urn:care:problem:already-reversed", "The movement is already reversed"),
            Conflict::NotReversible => ("urn:care:problem:not-reversible", "The movement cannot be reversed"),
            Conflict::NotDispensed => ("urn:care:problem:not-dispensed", "The invoice took fewer units"),
            Conflict::TooLongAgo => ("urn:care:problem:too-long-ago", "The version is too long ago"),
        },
        Error::Store(error) => match error.kind() {
            StoreErrorKind::Busy | StoreErrorKind::Stopped => ("urn:care:problem:busy", "The server is busy"),
            StoreErrorKind::Excessive => ("urn:care:problem:excessive", "The request touches too many records"),
            StoreErrorKind::Full => ("urn:care:problem:full", "The disk of the server is full"),
            StoreErrorKind::Unknown | StoreErrorKind::Unsupported | StoreErrorKind::Broken => {
                ("urn:care:problem:internal", "The server failed")
            }
        },
    }
}

fn domain_detail(error: &Error) -> Cow<'static, str> {
    Cow::Borrowed(match error {
        Error::Invalid(_) => "The fields at fault are listed.",
        Error::NotFound(kind) => return Cow::Owned(format!("There is no such {kind}.")),
        Error::Stale(kind) => {
            return Cow::Owned(format!("The {kind} has changed since the version in If-Match."));
        }
        Error::Conflict(conflict) => return Cow::Owned(format!("Refused: {conflict}.")),
        Error::Store(error) => match error.kind() {
            StoreErrorKind::Busy | StoreErrorKind::Stopped => "Nothing was written. Try again later.",
            StoreErrorKind::Excessive => "Nothing was written. One request may touch at most about 10,000 records.",
            StoreErrorKind::Full => "Nothing was written. Try again when the server has room.",
            StoreErrorKind::Unknown | StoreErrorKind::Unsupported | StoreErrorKind::Broken => {
                "The cause is in the log of the server, under the request id."
            }
        },
    })
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Domain(error)
    }
}

impl From<Syntax> for Problem {
    fn from(syntax: Syntax) -> Self {
        Self::Syntax(syntax)
    }
}

impl From<BodyRefusal> for Problem {
    fn from(refused: BodyRefusal) -> Self {
        match refused {
            BodyRefusal::Decode(errors) => Self::Malformed(errors),
            BodyRefusal::Rules(errors) => Self::Domain(Error::Invalid(errors)),
        }
    }
}
