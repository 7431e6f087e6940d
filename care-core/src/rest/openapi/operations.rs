//! The paths of the document: every operation of the table with its description.

use http::{Method, StatusCode, header};

use super::{
    described::{self, SuccessAnswer},
    problems,
    records::parameters,
    values::{
        headers,
        node::{Node, object, reference},
        record::Record,
    },
};
use crate::{
    error::Error,
    rest::{
        body::encode,
        contract::{
            Contract,
            operation::{Input, Nature, Operation},
        },
        http::{media::Format, trace::RequestId},
        operations::reads,
    },
};

/// Returns the security scheme: its name in the document, and its definition.
pub(super) fn security(contract: &Contract) -> (&'static str, Node) {
    match contract.host_scheme() {
        Some(scheme) => ("host", object().with("type", "http").with("scheme", scheme.to_ascii_lowercase())),
        None => {
            let key = object().with("type", "apiKey").with("in", "header").with("name", "api_key").with(
                "description",
                "Send exactly one such header. Each key has scopes, none of which implies another.",
            );
            ("api_key", key)
        }
    }
}

/// Returns all paths of these operations.
pub(super) fn paths(operations: &[Operation], contract: &Contract) -> Node {
    let mut paths = Vec::new();
    for operation in operations {
        if !paths.contains(&operation.path()) {
            paths.push(operation.path());
        }
    }
    let items = paths.into_iter().map(|path| {
        let here = operations.iter().filter(|operation| operation.path() == path);
        let item = here.fold(object(), |item, operation| {
            item.with(operation.method().as_str().to_ascii_lowercase(), node(*operation, contract))
        });
        (path, item)
    });
    items.collect()
}

fn node(operation: Operation, contract: &Contract) -> Node {
    let (body, answers) = (described::body(operation, contract), described::answers(operation, contract));
    let scope = operation.scope();
    let description = match scope {
        Some(scope) => format!("{}\n\nScope: `{}`.", operation.notes(), scope.as_str()),
        None => operation.notes().to_owned(),
    };
    let scopes: Node = scope.into_iter().map(|scope| Node::from(scope.as_str())).collect();
    let key = operation.needs_key().then(|| object().with(security(contract).0, scopes));
    let body = body.map(|body| {
        let is_required = matches!(operation.input(), Input::Record(_));
        object().with("required", is_required).with("content", content(operation, &body))
    });
    object()
        .with("tags", [operation.tag()])
        .with("summary", operation.summary())
        .with("description", description)
        .with("operationId", operation.id())
        .maybe("x-extension", operation.is_extension().then_some(true))
        .with("security", key.into_iter().collect::<Node>())
        .with("parameters", parameters::of(operation, described::asked(operation), contract))
        .maybe("requestBody", body)
        .with("responses", responses(operation, &answers, contract))
}

/// Returns the responses of every possible status.
fn responses(operation: Operation, answers: &[SuccessAnswer], contract: &Contract) -> Node {
    let answers = answers.iter().map(|answer| (answer.status, answered(operation, answer, contract)));
    let refusals = refusals(operation, contract).into_iter().map(|(status, description)| {
        let response = reference("responses", &problems::component(status));
        (status, response.maybe("description", description))
    });
    let mut responses: Vec<_> = answers.chain(refusals).collect();
    responses.sort_by_key(|(status, _)| *status);
    let responses = responses.into_iter();
    responses.map(|(status, response)| (status.as_str().to_owned(), response)).collect()
}

fn answered(operation: Operation, answer: &SuccessAnswer, contract: &Contract) -> Node {
    let description = match (&answer.record, answer.status) {
        (Some(record), _) => record.description,
        (None, StatusCode::NOT_MODIFIED) => "The client already has this answer.",
        (None, _) => "The operation was carried out.",
    };
    let is_version = contract.has_extensions() && operation.nature().has_versions() && answer.status == StatusCode::OK;
    let of_versions = is_version.then_some([header::CONTENT_LOCATION, header::LINK]);
    let carried = answer.headers.iter().cloned().chain([RequestId::HEADER]).chain(of_versions.into_iter().flatten());
    let content = answer.record.as_ref().map(|record| content(operation, record));
    object().with("description", description).with("headers", headers::of(carried)).maybe("content", content)
}

/// Returns a record in each form of the operation.
fn content(operation: Operation, record: &Record) -> Node {
    let forms = [Format::Json, Format::Xml].into_iter();
    let forms = forms.filter(|format| *format == Format::Json || operation.nature() != Nature::Document);
    let content = forms.map(|format| {
        let example = encode::document(format, record.root.unwrap_or_default(), &record.example());
        let content = object().with("schema", record.reference()).with("example", Node::written(format, &example));
        (format.name(), content)
    });
    content.collect()
}

/// Returns the statuses of all refusals, some with their reason.
fn refusals(operation: Operation, contract: &Contract) -> Vec<(StatusCode, Option<String>)> {
    let (has_key, is_read) = (operation.needs_key(), operation.method() == Method::GET);
    let writes = !is_read || contract.audits_reads() && reads::are_audited(operation);
    let has_body = matches!(operation.input(), Input::Record(_) | Input::Optional(_));
    let is_post = operation.method() == Method::POST;
    let is_read_strictly =
        has_body || is_post || matches!(operation.input(), Input::Query) || operation.path().contains('{');
    let has_rules = has_body || is_post || operation.path().contains("{medicine}");
    let missing = operation.missing().map(|kind| sentence(&[Error::NotFound(kind)]));
    // An operation without values of its own can only fail in this way.
    let reused = !has_body && is_post;
    let reused = reused.then(|| "The `Idempotency-Key` was used with another request.".to_owned());
    let conflict = sentence(operation.conflicts());
    [
        (has_key && is_read_strictly, StatusCode::BAD_REQUEST, None),
        (has_key, StatusCode::UNAUTHORIZED, None),
        (operation.scope().is_some(), StatusCode::FORBIDDEN, None),
        (missing.is_some(), StatusCode::NOT_FOUND, missing),
        (true, StatusCode::NOT_ACCEPTABLE, None),
        (has_body, StatusCode::REQUEST_TIMEOUT, None),
        (!operation.conflicts().is_empty(), StatusCode::CONFLICT, Some(conflict)),
        (matches!(operation.nature(), Nature::VersionedChange(_)), StatusCode::PRECONDITION_FAILED, None),
        (true, StatusCode::PAYLOAD_TOO_LARGE, None),
        (true, StatusCode::URI_TOO_LONG, None),
        (true, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, None),
        (true, StatusCode::UNSUPPORTED_MEDIA_TYPE, None),
        (has_rules, StatusCode::UNPROCESSABLE_ENTITY, reused),
        (has_key, StatusCode::TOO_MANY_REQUESTS, None),
        (true, StatusCode::INTERNAL_SERVER_ERROR, None),
        (has_key, StatusCode::SERVICE_UNAVAILABLE, None),
        (writes, StatusCode::INSUFFICIENT_STORAGE, None),
    ]
    .into_iter()
    .filter_map(|(occurs, status, reason)| occurs.then_some((status, reason)))
    .collect()
}

/// Joins reasons to one sentence.
fn sentence(reasons: &[impl ToString]) -> String {
    let reasons: Vec<_> = reasons.iter().map(ToString::to_string).collect();
    let reasons = format!("{}.", reasons.join("; or "));
    let first = reasons.chars().next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(reasons.chars().skip(1)).collect()
}
