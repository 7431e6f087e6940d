//! An answer in the making, and the headers that every answer carries.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};

use crate::rest::http::request_id::RequestId;

/// So many headers an answer usually has, without its length.
pub(crate) const USUAL: usize = 6;

/// An answer in the making.
#[derive(Debug)]
pub(crate) struct Answer {
    response: Response<Bytes>,
}

impl Answer {
    pub(crate) fn new(status: StatusCode) -> Self {
        Self::with_room(status, USUAL)
    }

    /// With room for so many headers at once.
    pub(crate) fn with_room(status: StatusCode, headers: usize) -> Self {
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = status;
        *response.headers_mut() = HeaderMap::with_capacity(headers);
        Self { response }
    }

    /// With a body, and the headers that describe it.
    pub(crate) fn with_body(self, media_type: HeaderValue, body: Bytes) -> Self {
        self.with_content(media_type, body).with_header(header::VARY, HeaderValue::from_static("Accept"))
    }

    /// With a body that is the same whatever the client accepts.
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

    /// The finished response, with the body's length among its headers or without. To `HEAD` it has the headers of what
    /// `GET` would answer, and no body.
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
