//! Static files beside the operations, such as the console for browsers.

mod coding;
mod preload;

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};

use crate::rest::{
    contract::{answer::Answer, problem::Problem},
    http::etag,
};
use coding::{Coded, accepts_gzip};
use preload::with_preloads;

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
    plain: Coded,
    /// The body for clients that accept gzip, if that is shorter.
    compressed: Option<Coded>,
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

    /// Returns the files as they are served: pages link to the modules that they import, and texts are compressed as
    /// well.
    pub(crate) fn prepared(mut self) -> Self {
        let mut pages = Vec::new();
        for (path, file) in self.0.iter().filter(|(_, file)| file.is("text/html")) {
            let module = |path: &str| self.0.get(path).filter(|file| file.is("text/javascript")).and_then(File::text);
            let page = file.text().and_then(|page| with_preloads(path, page, module));
            pages.extend(page.map(|page| (path.clone(), Coded::plain(page.into()))));
        }
        for (path, page) in pages {
            self.0.entry(path).and_modify(|file| file.plain = page);
        }
        for file in self.0.values_mut().filter(|file| file.text().is_some()) {
            file.compressed = file.plain.compressed();
        }
        self
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
        Self {
            media_type: HeaderValue::from_str(media_type)
                .unwrap_or(HeaderValue::from_static("application/octet-stream")),
            plain: Coded::plain(body.into()),
            compressed: None,
            headers: Vec::new(),
        }
    }

    /// Adds a header to each answer, such as `Content-Security-Policy`.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Returns whether this is its media type, whatever its parameters.
    fn is(&self, media_type: &str) -> bool {
        let ours = self.media_type.to_str().unwrap_or_default();
        ours.split(';').next().is_some_and(|ours| ours.trim_ascii().eq_ignore_ascii_case(media_type))
    }

    /// Returns its text; `None` for other media.
    fn text(&self) -> Option<&str> {
        let is_text =
            self.media_type.as_bytes().starts_with(b"text/") || self.is("application/json") || self.is("image/svg+xml");
        is_text.then(|| str::from_utf8(&self.plain.body).ok())?
    }

    fn answer(&self, head: &Parts) -> Answer {
        let compressed = self.compressed.as_ref().filter(|_| accepts_gzip(&head.headers));
        let Coded { body, tag } = compressed.unwrap_or(&self.plain);
        let is_known = etag::names(&head.headers, tag.to_str().unwrap_or_default());
        let answer = match is_known {
            true => Answer::new(StatusCode::NOT_MODIFIED),
            false => Answer::new(StatusCode::OK).with_content(self.media_type.clone(), body.clone()),
        };
        let answer = answer
            .with_header(header::ETAG, tag.clone())
            .with_header(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        let coding =
            (compressed.is_some() && !is_known).then_some((header::CONTENT_ENCODING, HeaderValue::from_static("gzip")));
        let vary = self.compressed.as_ref().map(|_| (header::VARY, HeaderValue::from_static("Accept-Encoding")));
        let headers = self.headers.iter().cloned().chain(coding).chain(vary);
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
