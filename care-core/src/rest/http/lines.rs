//! The lines of a header.

use http::{HeaderMap, HeaderName, HeaderValue};

/// Returns all lines of a header.
pub(crate) fn lines(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &[u8]> {
    headers.get_all(name).into_iter().map(HeaderValue::as_bytes)
}
