//! Static files beside the operations, such as the console for browsers.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};
use sha2::{Digest, Sha256};

use crate::rest::{
    contract::{answer::Answer, problem::Problem},
    http::etag,
};

/// Static files by their path below the base path, served to `GET` and `HEAD` without a key.
///
/// ```
/// use care_core::rest::{File, Files};
///
/// let page = File::new("text/html; charset=utf-8", "<!doctype html><title>Desk</title>");
/// // At `{base}/desk/`; a request for `{base}/desk` is redirected there.
/// let files = Files::new().with("desk/", page);
/// assert_eq!(files.paths().collect::<Vec<_>>(), ["desk/"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Files(BTreeMap<String, File>);

/// A static file, with an entity tag made from its content.
#[derive(Debug, Clone)]
pub struct File {
    media_type: HeaderValue,
    body: Bytes,
    tag: HeaderValue,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Files {
    /// Returns an empty set of files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file at this path, without a leading slash; the path of a folder's page ends in one. Paths are compared
    /// without decoding, so a path should need no escapes. An operation at the same path takes precedence.
    #[must_use]
    pub fn with(mut self, path: impl Into<String>, file: File) -> Self {
        self.0.insert(path.into(), file);
        self
    }

    /// Returns the paths, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the answer to a request for a file below this base path, or `None` when no file has the path.
    pub(crate) fn answer(&self, base: &str, head: &Parts) -> Option<Result<Answer, Problem>> {
        const ALLOW: &str = "GET, HEAD, OPTIONS";
        let path = head.uri.path().strip_prefix(base)?.strip_prefix('/')?;
        let file = self.0.get(path);
        if file.is_none() && !self.is_folder(path) {
            return None;
        }
        Some(match (&head.method, file) {
            (&Method::OPTIONS, _) => Ok(Answer::options(ALLOW)),
            (&Method::GET | &Method::HEAD, Some(file)) => Ok(file.answer(head)),
            // The addresses in a page are relative to its folder.
            (&Method::GET | &Method::HEAD, None) => Ok(to_folder(path)),
            _ => Err(Problem::MethodNotAllowed { allow: ALLOW.to_owned() }),
        })
    }

    /// Returns whether the path is that of a folder with a page, without its last slash.
    fn is_folder(&self, path: &str) -> bool {
        !path.is_empty() && self.0.contains_key(&[path, "/"].concat())
    }
}

impl File {
    /// Returns a file of this media type. An invalid header value becomes `application/octet-stream`.
    pub fn new(media_type: &str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let digest = Sha256::digest(&body);
        let digits: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let tag = HeaderValue::try_from(format!("\"{digits}\""));
        Self {
            media_type: HeaderValue::from_str(media_type)
                .unwrap_or(HeaderValue::from_static("application/octet-stream")),
            tag: tag.unwrap_or(HeaderValue::from_static("\"\"")),
            body,
            headers: Vec::new(),
        }
    }

    /// Adds a header to each answer, such as `Content-Security-Policy`.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    fn answer(&self, head: &Parts) -> Answer {
        let is_known = etag::names(&head.headers, self.tag.to_str().unwrap_or_default());
        let answer = match is_known {
            true => Answer::new(StatusCode::NOT_MODIFIED),
            false => Answer::new(StatusCode::OK).with_content(self.media_type.clone(), self.body.clone()),
        };
        let answer = answer
            .with_header(header::ETAG, self.tag.clone())
            .with_header(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        let headers = self.headers.iter().cloned();
        headers.fold(answer, |answer, (name, value)| answer.with_header(name, value))
    }
}

/// Redirects to the folder of this name. The address is relative, since a proxy may have changed the path before it.
fn to_folder(path: &str) -> Answer {
    let name = path.rsplit('/').next().unwrap_or(path);
    let location = HeaderValue::try_from(format!("{name}/")).unwrap_or(HeaderValue::from_static("./"));
    Answer::new(StatusCode::PERMANENT_REDIRECT)
        .with_content(HeaderValue::from_static("text/plain"), Bytes::from_static(b"The page is in a folder.\n"))
        .with_header(header::LOCATION, location)
        .with_header(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))
}
