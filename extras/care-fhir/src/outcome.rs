//! Refusals as `OperationOutcome`.

use std::collections::BTreeSet;

use bytes::Bytes;
use care_core::{
    error::{Error, StoreError},
    rest::{FacadeRequest, Refusal},
};
use http::{HeaderValue, Response, StatusCode, header};

use crate::{
    form::Form,
    writer::{Writer, document},
};

/// The reason for which the facade refuses by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    NotAcceptable,
    /// Parameters that the interaction does not have, as far as they can be named.
    Parameters(Vec<String>),
    /// Several values of a parameter that takes one.
    List(&'static str),
    /// A search that needs a parameter, such as this one.
    Required(&'static str),
    /// A value that the parameter cannot have.
    Invalid(&'static str),
    /// A page without items, which needs a count of all.
    NoCount,
    /// A type that `$everything` does not have.
    Type,
    /// A key without the scope for earlier versions.
    Forbidden,
    NotFound,
    Gone,
}

/// The reason why there is no resource to answer with.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The facade refuses.
    Fault(Fault),
    /// The service refuses, or its store has failed.
    Care(Error),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Care(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Care(error.into())
    }
}

impl Fault {
    /// Returns the fault of parameters that the interaction does not have. Those are named whose names can be.
    pub(crate) fn parameters<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        Self::Parameters(named(names))
    }

    /// Returns the answer.
    pub(crate) fn answer(self, request: &FacadeRequest<'_>) -> Response<Bytes> {
        let bad = |code, words: &'static str, named: &[&str]| {
            (StatusCode::BAD_REQUEST, code, words, named.iter().map(|name| (*name).to_owned()).collect())
        };
        let (status, code, words, parameters) = match self {
            Self::NotAcceptable => {
                let words = "Accept application/fhir+json or application/fhir+xml, of FHIR 4.0.";
                (StatusCode::NOT_ACCEPTABLE, "not-supported", words, Vec::new())
            }
            Self::Parameters(names) => {
                let words = "The parameter or its modifier is not supported here. The CapabilityStatement lists what a \
                             search takes; a read takes _format and _pretty alone.";
                (StatusCode::BAD_REQUEST, "not-supported", words, names)
            }
            Self::List(name) => bad("not-supported", "The parameter takes one value here.", &[name]),
            Self::Required(name) => {
                let words = "The search needs a parameter that names a patient or a record, or _id.";
                bad("required", words, &[name])
            }
            Self::Invalid(name) => bad("invalid", "The parameter cannot have this value.", &[name]),
            Self::NoCount => bad("not-supported", "Nothing is counted here; _count must be 1 at least.", &["_count"]),
            Self::Type => bad("not-supported", "Nothing of this type is about a patient here.", &["_type"]),
            Self::Forbidden => {
                let words = "The key lacks the scope that an earlier version needs: admin.";
                (StatusCode::FORBIDDEN, "forbidden", words, Vec::new())
            }
            Self::NotFound => (StatusCode::NOT_FOUND, "not-found", "There is no such resource.", Vec::new()),
            Self::Gone => (StatusCode::GONE, "deleted", "The resource was deleted.", Vec::new()),
        };
        outcome(request, status, code, words, &parameters)
    }
}

/// Returns those texts that can be names of parameters, each once.
pub(crate) fn named<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-:.".contains(&byte);
    let names = names.filter(|name| (1..=64).contains(&name.len()) && name.bytes().all(is_name));
    names.collect::<BTreeSet<_>>().into_iter().map(str::to_owned).collect()
}

/// Returns the answer to what the gate refuses.
pub(crate) fn of_gate(request: &FacadeRequest<'_>, refusal: &Refusal) -> Response<Bytes> {
    let code = match refusal.status.as_u16() {
        401 => "login",
        403 => "forbidden",
        404 => "not-found",
        405 | 406 | 415 => "not-supported",
        413 | 414 | 431 => "too-long",
        409 => "conflict",
        429 => "throttled",
        408 => "timeout",
        503 => "transient",
        507 => "no-store",
        status if status >= 500 => "exception",
        _ => "invalid",
    };
    let fields: Vec<_> = refusal.faults.iter().map(|fault| fault.field.to_string()).collect();
    outcome(request, refusal.status, code, &refusal.detail, &fields)
}

fn outcome(
    request: &FacadeRequest<'_>,
    status: StatusCode,
    code: &'static str,
    words: &str,
    fields: &[String],
) -> Response<Bytes> {
    // An error is sent even if neither form is accepted.
    let form = Form::of(request).unwrap_or(Form::Json);
    let issue = |out: &mut Writer| issue(out, ("error", code), words, request.request_id, fields);
    answer(status, form, document(form, "OperationOutcome", issue))
}

/// Writes an issue: its severity and code, what it says, the request that it is about, and the parameters.
pub(crate) fn issue(
    out: &mut Writer,
    (severity, code): (&'static str, &'static str),
    words: &str,
    request_id: &str,
    parameters: &[String],
) {
    out.one("issue", |issue| {
        issue.text("severity", severity);
        issue.text("code", code);
        issue.object("details", |details| details.text("text", words));
        issue.text("diagnostics", &format!("urn:care:request:{request_id}"));
        issue.list("expression", |all| parameters.iter().for_each(|parameter| all.text(parameter)));
    });
}

/// Returns the answer with this document.
pub(crate) fn answer(status: StatusCode, form: Form, document: String) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(document));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, form.media_type());
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}

/// Returns the answer to a client that has the document.
pub(crate) fn not_modified() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}
