//! Parameters in the path, the query and the headers.

use http::Method;

use crate::{
    model::StockSettings,
    rest::{
        contract::{
            Contract,
            operation::{Nature, Operation, Segment},
        },
        http::{
            cursor::CursorMark,
            etag::{Tag, Variant},
            media::Format,
        },
        openapi::values::{
            node::{Node, object},
            record::{Asked, Documented, Field},
            value::{Value, count, identifier_in_path, medicine, plain_text, ranged},
        },
        operations::{poll::MAX_WAIT, queries::Part, query::DEFAULT_LIMIT, versions::VERSION},
    },
    service::{Idempotency, TriedSettings},
    store::{Epoch, Filter, Seq},
};

/// Returns all parameters of an operation, with those that its row names.
pub(crate) fn of(operation: Operation, asked: Vec<Field>, contract: &Contract) -> Node {
    let path = operation.segments().filter_map(|segment| match segment {
        Segment::Parameter(name) => Some(in_path(name)),
        Segment::Literal(_) => None,
    });
    let nature = operation.nature();
    let parts = Part::of(nature).iter().map(|part| part_of(*part, operation, contract));
    let version = (nature.has_versions() && contract.has_extensions()).then(version);
    let query = asked.into_iter().chain(parts).chain(version).map(|field| field.parameter("query"));
    let headers = [
        (nature.has_versions(), "If-None-Match"),
        (matches!(nature, Nature::VersionedChange(_)), "If-Match"),
        (operation.method() == Method::POST, Idempotency::FIELD),
        (true, "X-Request-Id"),
    ];
    let headers = headers.into_iter().filter(|(honoured, _)| *honoured);
    // Some readers of documents know no references to parameters.
    let headers = headers.map(|(_, name)| in_header(name));
    path.chain(query).chain(headers).collect()
}

/// Returns the parameter that is this header.
fn in_header(name: &'static str) -> Node {
    let tag = || {
        plain_text(
            Tag::of(Seq::new(42)).text(Epoch::new(0x5eed_5eed), Variant { format: Format::Json, is_documented: false }),
        )
    };
    let (description, value) = match name {
        "If-None-Match" => {
            ("Entity tags of the answer that the client has: with one of them the answer is 304.", tag())
        }
        "If-Match" => (
            "Entity tags, of either form, of the record as the client knows it: if it has changed since, the answer \
             is 412.",
            tag(),
        ),
        Idempotency::FIELD => {
            let key = format!(r#"^("[!#-\[\]-~]{{1,{0}}}"|[!#-\[\]-~]{{1,{0}}})$"#, Idempotency::MAX);
            let key = object().with("type", "string").with("pattern", key);
            (
                "A name for this request that makes it safe to repeat for a day: it is done once, and a repetition is \
                 answered as the first time. Under the name of another request the answer is 422. A quoted string; \
                 the bare form is taken as well.",
                Value::new(key, "\"8e03978e-40d5-43dd-bc93-6894a57f9324\""),
            )
        }
        "X-Request-Id" => (
            "An id for the answer and the log: 1 to 64 of `A-Z a-z 0-9 . _ -`. Any other value is ignored, and the \
             service makes an id.",
            plain_text("5f3a".to_owned()),
        ),
        // A test requires a description of every parameter.
        _ => ("", plain_text("")),
    };
    Field::new(name, value, description).parameter("header")
}

/// Returns an example cursor of the list without a filter.
pub(crate) fn cursor(operation: Operation) -> String {
    match Part::of(operation.nature()).contains(&Part::Cursor) {
        true => CursorMark::new(operation.id(), Vec::new()).cursor("7"),
        false => "12".to_owned(),
    }
}

fn in_path(name: &'static str) -> Node {
    let (description, value) = match name {
        "medicine" => ("Medicine name in any spelling, percent-encoded; `%2F` is part of it.", medicine()),
        // A test requires a description of every parameter.
        name => identifier_in_path(name).unwrap_or_else(|| ("", plain_text(""))),
    };
    Field::new(name, value, description).required().parameter("path")
}

fn part_of(part: Part, operation: Operation, contract: &Contract) -> Field {
    let (value, meaning) = match part {
        Part::Limit => {
            let page = contract.limits().page;
            let usual = DEFAULT_LIMIT.min(page);
            let limit = ranged(1_i64, page, i64::try_from(usual).unwrap_or(1)).with("default", usual);
            (limit, "The highest number of items in the page.")
        }
        Part::Cursor => {
            let cursor = plain_text(cursor(operation));
            (cursor, "The cursor of the page: the `next` of the page before, under the same filter.")
        }
        Part::Entry => (count(12), "The `seq` of the last entry that the client knows."),
        Part::Wait => {
            let wait = ranged(0_i64, MAX_WAIT, 0).with("default", 0_i64);
            (wait, "Seconds to wait for an entry while there is none.")
        }
    };
    Field::new(part.parameter().name, value, meaning)
}

fn version() -> Field {
    let meaning = "The record as it was after this journal entry. `Content-Location` names the version, `Link` the one \
                   before (`rel=\"predecessor-version\"`). Needs the scope `admin` as well.";
    Field::new(VERSION, ranged(1_i64, i64::MAX, 42), meaning)
}

/// The settings that a back-test tries are those of a stock.
impl Asked for TriedSettings {
    fn members() -> Vec<Field> {
        let is_tried = |field: &Field| Self::PARAMETERS.iter().any(|parameter| parameter.name == field.name());
        let members = StockSettings::members().into_iter().filter(is_tried);
        members.map(|field| field.meaning("A value to try instead of the stored setting.").optional()).collect()
    }
}
