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
use crate::rest::{
    contract::problem::Problem,
    http::{media::Format, trace::RequestId},
};

/// Returns the name of the component for the problems of a status.
pub(super) fn component(status: StatusCode) -> String {
    status.canonical_reason().unwrap_or_default().replace(' ', "")
}

/// Returns one component for each status that has an example.
pub(super) fn components() -> Node {
    let by_status = Problem::examples().into_iter().filter(|(_, problems)| !problems.is_empty());
    by_status.map(|(meaning, problems)| response(meaning, &problems)).collect()
}

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
