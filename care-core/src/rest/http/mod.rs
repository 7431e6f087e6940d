//! The vocabulary of HTTP: paths, media types, negotiation, origins, entity tags and request ids. This room knows no
//! records.

pub(crate) mod cursor;
pub(crate) mod etag;
pub(crate) mod list;
pub(crate) mod media;
pub(crate) mod media_type;
pub(crate) mod negotiate;
pub(crate) mod origin;
pub(crate) mod path;
pub(crate) mod trace;

use http::{HeaderMap, HeaderName, HeaderValue};

/// Returns all lines of a header.
pub(crate) fn lines(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &[u8]> {
    headers.get_all(name).into_iter().map(HeaderValue::as_bytes)
}
