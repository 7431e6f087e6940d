//! The refusals. Status, headers and examples are taken from real answers of the service.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode};

use super::{
    records::reports,
    values::{
        headers,
        node::{Node, object},
    },
};
use crate::{
    error::{Conflict, Error, FieldError, Kind, StoreErrorKind},
    rest::{
        body::syntax::Syntax,
        contract::problem::Problem,
        http::{media::Format, request_id::RequestId},
    },
};

/// Returns the name of the component for the problems of a status.
pub(super) fn component(status: StatusCode) -> String {
    status.canonical_reason().unwrap_or_default().replace(' ', "")
}

/// Returns one component for each status.
pub(super) fn components() -> Node {
    let fault = |field: &'static str, rule| vec![FieldError::new(field, rule)];
    let domain = |error: Error| vec![Problem::Domain(error)];
    let store = |kind: StoreErrorKind| domain(Error::Store(kind.into()));
    [
        response(
            "The path, the query, a header or the body cannot be decoded.",
            &[
                Problem::Malformed(fault("limit", "must be 1 to 500")),
                Problem::Syntax(Syntax("The body is not JSON.")),
                Problem::BrokenBody,
            ],
        ),
        response("The key is missing, repeated or invalid.", &[Problem::Unauthorized]),
        response("The key lacks the scope of the operation.", &[Problem::Forbidden]),
        response("The record does not exist.", &domain(Error::NotFound(Kind::Patient))),
        response(
            "`Accept` allows no form that can be answered. Nothing was done.",
            &[Problem::NotAcceptable { in_xml: true }],
        ),
        response("The body did not arrive in time.", &[Problem::TimedOut]),
        response(
            "The state of the records forbids the operation.",
            &CONFLICTS.map(|conflict| Problem::Domain(conflict.into())),
        ),
        response("The record has changed since the version in `If-Match`.", &domain(Error::Stale(Kind::Patient))),
        response("The body is over the limit.", &[Problem::TooLarge]),
        response("The path and query are over the limit.", &[Problem::TargetTooLong]),
        response("The headers are over the limit.", &[Problem::HeadTooLarge]),
        response(
            "The body is encoded, or is not `application/json` or `application/xml` in UTF-8.",
            &[Problem::UnsupportedType, Problem::EncodedBody],
        ),
        response("Values break the rules.", &domain(Error::Invalid(fault("age", "must be 0 to 150")))),
        response(
            "Too many requests from this address had no valid key. The server limits them.",
            &[Problem::TooManyFailures { seconds: 6 }],
        ),
        response(
            "The server failed. The outcome of a change is unknown.",
            &[Problem::Internal, Problem::Late { is_read: false }],
        ),
        response(
            "The server is busy. Nothing was changed.",
            &[
                Problem::Domain(Error::Store(StoreErrorKind::Busy.into())),
                Problem::Domain(Error::Store(StoreErrorKind::Excessive.into())),
                Problem::Overloaded,
                Problem::Late { is_read: true },
            ],
        ),
        response("The disk of the server is full. Nothing was changed.", &store(StoreErrorKind::Full)),
    ]
    .into_iter()
    .collect()
}

const CONFLICTS: [Conflict; 18] = [
    Conflict::PatientExists,
    Conflict::NoNumberLeft,
    Conflict::ItemExists,
    Conflict::AlreadyPrescribed,
    Conflict::HistoryFull,
    Conflict::TooManyPrescriptions,
    Conflict::UnpaidInvoice,
    Conflict::InvoicePaid,
    Conflict::PrescriptionCompleted,
    Conflict::AlreadyTracked,
    Conflict::StockLeft,
    Conflict::InsufficientStock,
    Conflict::TooManyLots,
    Conflict::TooMuchStock,
    Conflict::AlreadyReversed,
    Conflict::NotReversible,
    Conflict::NotDispensed,
    Conflict::TooLongAgo,
];

/// Returns the response for problems with the same status, under its name.
fn response(description: &'static str, problems: &[Problem]) -> (String, Node) {
    let status = problems.first().map_or(StatusCode::INTERNAL_SERVER_ERROR, |problem| problem.kind().0);
    let content = [Format::Json, Format::Xml].map(|format| {
        let examples = problems.iter().map(|problem| {
            let body = answer(problem, format).into_body();
            (example_name(problem), object().with("value", Node::written(format, &body)))
        });
        let content =
            object().with("schema", reports::problem().reference()).with("examples", examples.collect::<Node>());
        (Problem::media_type(format), content)
    });
    let carried = problems.iter().flat_map(|problem| {
        let answer = answer(problem, Format::Json);
        answer.headers().keys().cloned().collect::<Vec<_>>()
    });
    let response = object()
        .with("description", description)
        .with("headers", headers::of(carried))
        .with("content", content.into_iter().collect::<Node>());
    (component(status), response)
}

fn answer(problem: &Problem, format: Format) -> Response<Bytes> {
    let id = RequestId::given(HeaderValue::from_static("5f3a"));
    problem.answer(format, id.as_str()).finish(&id, false, false)
}

/// Returns the last part of the problem's type.
fn example_name(problem: &Problem) -> &'static str {
    let (_, kind, _) = problem.kind();
    kind.rsplit(':').next().unwrap_or(kind)
}
