//! Answers before they become responses, and the headers of every answer.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};

use crate::rest::http::trace::RequestId;

/// The number of headers that an answer has room for, so that a usual one never has to grow: that of a change has
/// seven.
const USUAL: usize = 8;

/// An answer that is being made.
#[derive(Debug)]
pub(crate) struct Answer {
    response: Response<Bytes>,
}

impl Answer {
    /// Returns an answer without a body.
    pub(crate) fn new(status: StatusCode) -> Self {
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = status;
        *response.headers_mut() = HeaderMap::with_capacity(USUAL);
        Self { response }
    }

    /// Returns the answer to `OPTIONS`.
    pub(crate) fn options(allow: &str) -> Self {
        let allow = HeaderValue::try_from(allow).unwrap_or(HeaderValue::from_static("OPTIONS"));
        Self::new(StatusCode::NO_CONTENT).with_header(header::ALLOW, allow)
    }

    /// Sets the body and its headers.
    pub(crate) fn with_body(self, media_type: HeaderValue, body: Bytes) -> Self {
        self.with_content(media_type, body).with_header(header::VARY, HeaderValue::from_static("Accept"))
    }

    /// Sets a body that does not depend on what the client accepts.
    pub(crate) fn with_content(mut self, media_type: HeaderValue, body: Bytes) -> Self {
        self.response.headers_mut().insert(header::CONTENT_TYPE, media_type);
        *self.response.body_mut() = body;
        self
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.response.headers_mut().insert(name, value);
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// Returns the length of its body in bytes.
    pub(crate) fn length(&self) -> usize {
        self.response.body().len()
    }

    /// Returns the finished response, with or without a header for the body's length. A response to `HEAD` has the
    /// headers of the `GET` and no body.
    pub(crate) fn finish(mut self, request_id: &RequestId, is_head: bool, has_length: bool) -> Response<Bytes> {
        let headers = self.response.headers_mut();
        headers.insert(RequestId::HEADER, request_id.header());
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let length = self.response.body().len();
        if has_length && length > 0 {
            self.response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        }
        if is_head {
            self.response.body_mut().clear();
        }
        self.response
    }
}

impl From<Response<Bytes>> for Answer {
    fn from(response: Response<Bytes>) -> Self {
        Self { response }
    }
}
