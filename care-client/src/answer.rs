//! Answers of the service.

use http::{HeaderMap, HeaderValue, header};
use percent_encoding::percent_decode_str;

/// A record, with the headers of its answer that speak of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    /// The record.
    pub record: T,
    /// Its entity tag, where the service tells one.
    pub tag: Option<Tag>,
    /// The path of the record that was made or changed, where the service tells one.
    pub location: Option<String>,
}

/// An entity tag, by which one version of an answer differs from another. It is opaque, and holds nothing of the
/// record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tag(pub(crate) HeaderValue);

impl<T> Answer<T> {
    pub(crate) fn new(record: T, headers: &HeaderMap) -> Self {
        let location = headers.get(header::LOCATION).or_else(|| headers.get(header::CONTENT_LOCATION));
        Self {
            record,
            tag: headers.get(header::ETAG).cloned().map(Tag),
            location: location.and_then(|place| place.to_str().ok()).map(str::to_owned),
        }
    }

    /// Returns the number in the last segment of the location: of the prescription, the invoice, the consultation or
    /// the movement that the answer is about. Where a record's fields hold no number, the service tells it there.
    pub fn number<N: TryFrom<i64>>(&self) -> Option<N> {
        let segment = self.location.as_deref()?.rsplit('/').next()?;
        let number: i64 = percent_decode_str(segment).decode_utf8().ok()?.parse().ok()?;
        N::try_from(number).ok()
    }
}

impl Tag {
    /// Returns the tag as it is written in headers.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}
