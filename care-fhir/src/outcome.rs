//! Refusals as `OperationOutcome`.

use bytes::Bytes;
use care_core::rest::{FacadeRequest, Refusal};
use http::{HeaderValue, Response, StatusCode, header};

use crate::{
    form::Form,
    tree::{Resource, list, object, once, text},
};

/// The reason for which a facade refuses by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    NotAcceptable,
    /// A parameter that the interaction does not have.
    Parameter,
    NotFound,
    Gone,
}

impl Refused {
    /// Returns the answer. A parameter is not named, since its name is the client's.
    pub(crate) fn answer(self, request: &FacadeRequest<'_>) -> Response<Bytes> {
        let (status, code, words) = match self {
            Self::NotAcceptable => {
                let words = "Accept application/fhir+json or application/fhir+xml, of FHIR 4.0.";
                (StatusCode::NOT_ACCEPTABLE, "not-supported", words)
            }
            Self::Parameter => {
                let words = "A parameter is not supported here. A read takes _format and _pretty, and nothing else.";
                (StatusCode::BAD_REQUEST, "not-supported", words)
            }
            Self::NotFound => (StatusCode::NOT_FOUND, "not-found", "There is no such resource."),
            Self::Gone => (StatusCode::GONE, "deleted", "The resource was deleted."),
        };
        outcome(request, status, code, words, &[])
    }
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
    let issue = object([
        ("severity", Some(text("error"))),
        ("code", Some(text(code))),
        ("details", Some(object([("text", Some(text(words)))]))),
        ("diagnostics", Some(text(format!("urn:care:request:{}", request.request_id)))),
        ("expression", list(fields.iter().map(text))),
    ]);
    let outcome = Resource::new("OperationOutcome", [("issue", Some(once(issue)))]);
    // An error is sent even if neither form is accepted.
    answer(status, Form::of(request).unwrap_or(Form::Json), &outcome)
}

/// Returns the answer with this resource.
pub(crate) fn answer(status: StatusCode, form: Form, resource: &Resource) -> Response<Bytes> {
    let body = match form {
        Form::Json => resource.json(),
        Form::Xml => resource.xml(),
    };
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, form.media_type());
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}
