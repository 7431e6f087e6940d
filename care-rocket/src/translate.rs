//! Between Rocket's types and those of the `http` crate.

use std::io::Cursor;

use bytes::Bytes;
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderName, HeaderValue, Uri};
use rocket::http::{Header, Status};
use rocket::{Request, Response};

/// The head of a request, as it was sent.
pub(crate) fn head(request: &Request<'_>, method: http::Method) -> Parts {
    let (mut head, ()) = http::Request::new(()).into_parts();
    head.method = method;
    // Rocket shows a path as it was sent: no escape decoded, no empty segment dropped. What is no
    // URI for `http` is no path of the service either, and nor is `/`.
    let sent = PathAndQuery::try_from(request.uri().to_string());
    head.uri = sent.map(Uri::from).unwrap_or_default();
    head.headers.reserve(request.headers().len());
    for header in request.headers().iter() {
        let name = HeaderName::from_bytes(header.name.as_str().as_bytes());
        let value = HeaderValue::from_bytes(header.value.as_bytes());
        if let (Ok(name), Ok(value)) = (name, value) {
            head.headers.append(name, value);
        }
    }
    head
}

/// The answer, for Rocket.
pub(crate) fn response(answer: http::Response<Bytes>) -> Response<'static> {
    let mut response = Response::new();
    response.set_status(Status::new(answer.status().as_u16()));
    for (name, value) in answer.headers() {
        if let Ok(value) = value.to_str() {
            response.adjoin_header(Header::new(name.as_str().to_owned(), value.to_owned()));
        }
    }
    let body = answer.into_body();
    // Without a body Rocket leaves `Content-Length` alone, as the answer to a HEAD needs.
    if !body.is_empty() {
        response.set_max_chunk_size(body.len());
        response.set_sized_body(body.len(), Cursor::new(body));
    }
    response
}
