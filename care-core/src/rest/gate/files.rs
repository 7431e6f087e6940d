//! Static files beside the operations, such as the console for browsers.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
};

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};
use sha2::{Digest, Sha256};

use crate::rest::{
    contract::{answer::Answer, problem::Problem},
    http::{etag, lines, media_type::members},
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
        let is_known = etag::names_tag(&head.headers, tag.to_str().unwrap_or_default());
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

/// A body in one coding, with an entity tag of its own.
#[derive(Debug, Clone)]
struct Coded {
    body: Bytes,
    tag: HeaderValue,
}

impl Coded {
    /// Returns a body as it is.
    fn plain(body: Bytes) -> Self {
        let tag = tag(&body, "");
        Self { body, tag }
    }

    /// Returns this plain body, compressed; `None` when it would not become shorter.
    fn compressed(&self) -> Option<Self> {
        // It is done once, when the server starts.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory cannot fail.
        encoder.write_all(&self.body).ok()?;
        let body = encoder.finish().ok().filter(|body| body.len() < self.body.len())?;
        Some(Self { tag: tag(&self.body, "-gzip"), body: body.into() })
    }
}

fn tag(body: &Bytes, coding: &str) -> HeaderValue {
    let digits = const_hex::encode(&Sha256::digest(body)[..16]);
    HeaderValue::try_from(format!("\"{digits}{coding}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Returns whether a client takes gzip, and likes it no less than the body as it is.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let (mut gzip, mut identity, mut any) = (None, None, None);
    for member in members(lines(headers, header::ACCEPT_ENCODING)) {
        match member.name.to_ascii_lowercase().as_slice() {
            b"gzip" | b"x-gzip" => gzip = Some(member.quality),
            b"identity" => identity = Some(member.quality),
            b"*" => any = Some(member.quality),
            _ => {}
        }
    }
    let gzip = gzip.or(any).unwrap_or(0);
    gzip > 0 && gzip >= identity.unwrap_or(0)
}

/// Returns a page at this path with a link to each module that its module scripts import at once, directly or through
/// others. `module` returns the text of the file at a path.
fn with_preloads<'a>(path: &str, page: &str, module: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let (head, _) = page.split_once("</head>")?;
    let scripts = head.split("<script ").skip(1).filter_map(|tag| {
        let tag = tag.split_once('>')?.0;
        tag.contains("type=\"module\"").then(|| quoted(tag.split_once("src=\"")?.1))?
    });
    let roots: BTreeSet<_> = scripts.filter_map(|script| resolved(path, script)).collect();
    let mut found: BTreeMap<String, bool> = roots.iter().cloned().map(|root| (root, true)).collect();
    while let Some((next, _)) = found.iter().find(|(_, is_new)| **is_new) {
        let next = next.clone();
        found.insert(next.clone(), false);
        for import in imports(module(&next).unwrap_or_default()) {
            if let Some(import) = resolved(&next, import).filter(|import| module(import).is_some()) {
                found.entry(import).or_insert(true);
            }
        }
    }
    let imported = found.keys().filter(|path| !roots.contains(*path));
    let links = imported.map(|module| format!("<link rel=\"modulepreload\" href=\"{}\">\n", relative(path, module)));
    let links: String = links.collect();
    (!links.is_empty()).then(|| page.replacen("</head>", &format!("{links}</head>"), 1))
}

/// Returns the addresses that a module imports at once: a statement stands at the beginning of a line, or ends there.
fn imports(module: &str) -> impl Iterator<Item = &str> {
    module.lines().filter_map(|line| {
        let statement = line.starts_with("import ") || line.starts_with("export ") || line.starts_with("} from ");
        let address = line.split_once(" from \"").or(line.split_once("import \"")).filter(|_| statement);
        quoted(address?.1)
    })
}

/// Returns the text up to the closing quotation mark.
fn quoted(rest: &str) -> Option<&str> {
    rest.split_once('"').map(|(text, _)| text)
}

/// Returns the path that an address means in the file at another path; `None` for one of another site.
fn resolved(from: &str, address: &str) -> Option<String> {
    if address.contains(':') || address.starts_with('/') {
        return None;
    }
    let mut path: Vec<_> = from.split('/').collect();
    path.pop();
    for segment in address.split('/') {
        match segment {
            "." => {}
            ".." => drop(path.pop()?),
            segment => path.push(segment),
        }
    }
    Some(path.join("/"))
}

/// Returns the address of a path in the page at another path.
fn relative(page: &str, path: &str) -> String {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    match path.strip_prefix(folder).and_then(|path| path.strip_prefix('/')) {
        Some(below) => below.to_owned(),
        None => "../".repeat(page.matches('/').count()) + path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        let accepts = |lines: &[&'static str]| {
            let lines = lines.iter().map(|line| (header::ACCEPT_ENCODING, HeaderValue::from_static(line)));
            accepts_gzip(&lines.collect())
        };
        for taken in [
            "gzip",
            "GZip",
            "x-gzip",
            "br, gzip",
            "gzip;q=0.001",
            "gzip ; q=1.000",
            "*",
            "br;q=1, *;q=0.5",
            "gzip; q = .5",
        ] {
            assert!(accepts(&[taken]), "{taken}");
        }
        for refused in ["", "br", "identity", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *", "gzip;q=2"] {
            assert!(!accepts(&[refused]), "{refused}");
        }
        assert!(!accepts(&[]) && accepts(&["br", "gzip"]) && !accepts(&["gzip;q=0.5, identity"]));
        assert!(accepts(&["gzip, identity"]) && accepts(&["identity;q=0, gzip"]));
    }

    #[test]
    fn only_what_becomes_shorter_is_compressed() {
        let plain = Coded::plain(Bytes::from("once upon a time ".repeat(100)));
        let compressed = plain.compressed().unwrap();
        assert!(compressed.body.len() < 100 && compressed.body.starts_with(&[0x1f, 0x8b]));
        assert_ne!(compressed.tag, plain.tag);
        assert!(Coded::plain(Bytes::from_static(b"short")).compressed().is_none());
    }

    const PAGE: &str = "<head>\n<script type=\"module\" src=\"main.js\"></script>\n</head>";

    fn preloaded(path: &str, page: &str, modules: &[(&str, &'static str)]) -> Option<String> {
        let modules: BTreeMap<_, _> = modules.iter().copied().collect();
        with_preloads(path, page, |path| modules.get(path).copied())
    }

    #[test]
    fn what_is_imported_at_once_is_preloaded_once() {
        let modules = [
            ("desk/main.js", "// import \"./not.js\"\nimport { a } from \"./ui/a.js\";\nimport \"./b.js\";"),
            ("desk/ui/a.js", "import {\n  one,\n  two,\n} from \"../b.js\";\nexport * from \"../../other/c.js\";"),
            (
                "desk/b.js",
                "import * as main from \"./main.js\";\nawait import(\"./late.js\");\nimport \"https://x/y.js\";",
            ),
            ("desk/late.js", ""),
            ("desk/not.js", ""),
            ("other/c.js", "import \"./gone.js\";"),
        ];
        let links = ["b.js", "ui/a.js", "../other/c.js"];
        let links = links.map(|link| format!("<link rel=\"modulepreload\" href=\"{link}\">\n")).concat();
        assert_eq!(preloaded("desk/", PAGE, &modules), Some(PAGE.replace("</head>", &format!("{links}</head>"))));
    }

    #[test]
    fn other_pages_stay_as_they_are() {
        assert_eq!(preloaded("desk/", PAGE, &[("desk/main.js", "export const x = 1;")]), None);
        assert_eq!(preloaded("desk/", "<p>", &[]), None);
        let classic = PAGE.replace(" type=\"module\"", "");
        assert_eq!(preloaded("desk/", &classic, &[("desk/main.js", "import \"./b.js\";"), ("desk/b.js", "")]), None);
    }
}
