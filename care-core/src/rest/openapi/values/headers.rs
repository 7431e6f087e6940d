//! The headers of answers that the document describes.

use http::HeaderName;

use super::node::{Node, object};

/// Returns these headers, as far as they are described. Some readers of documents know no references to headers.
pub(crate) fn of(carried: impl IntoIterator<Item = HeaderName>) -> Node {
    let carried: Vec<_> = carried.into_iter().collect();
    let described =
        HEADERS.iter().filter(|(name, ..)| carried.iter().any(|carried| carried.as_str().eq_ignore_ascii_case(name)));
    let header = |description: &'static str| {
        object().with("description", description).with("schema", object().with("type", "string"))
    };
    described.map(|(name, description)| (*name, header(description))).collect()
}

const HEADERS: [(&str, &str); 9] = [
    ("X-Request-Id", "The id of the request, as in the log."),
    ("ETag", "The version of this answer; JSON and XML have tags of their own."),
    ("Location", "The path of the new record."),
    ("Content-Location", "The path of the record in the answer."),
    (
        "Link",
        "On a page `rel=\"next\"`: the next one; absent on the last. On a version `rel=\"predecessor-version\"`: the \
         one before.",
    ),
    ("WWW-Authenticate", "The way to present a key."),
    ("Retry-After", "The seconds to wait before trying again."),
    ("Allow", "The methods of the path."),
    ("Accept-Encoding", "`identity`: send the body as it is."),
];
