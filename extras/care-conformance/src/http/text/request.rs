//! Requests, ready to be sent.

use std::fmt::Write as _;

use super::{
    case::{Body, Step},
    pattern::{Names, fill, unescape},
    twin,
};

/// The form in which a case is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Xml,
}

/// A request, sent without further changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The request target with the base path.
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) chunked: bool,
}

impl Request {
    /// Returns the request of a step.
    pub(crate) fn of(step: &Step, base: &str, form: Form, names: &Names) -> Result<Self, String> {
        let target = fill(&step.target, names)?;
        let mut request = Self {
            method: step.method.clone(),
            target: match step.is_raw_target {
                true => target,
                false => format!("{base}{target}"),
            },
            headers: Vec::new(),
            body: None,
            chunked: step.chunked,
        };
        if step.has_key {
            request.push("api_key", b"full");
        }
        for (name, value) in &step.headers {
            let value = unescape(&fill(value, names)?)?;
            request.push(name, &value);
        }
        if form == Form::Xml && request.header("accept").is_none() {
            request.push("Accept", b"application/xml");
        }
        let (media_type, body) = match &step.body {
            None => return Ok(request),
            Some(Body::Raw(text)) => (None, unescape(&fill(text, names)?)?),
            Some(Body::Xml(text)) => (Some("application/xml"), fill(text, names)?.into_bytes()),
            Some(Body::Json(text)) => {
                let text = fill(text, names)?;
                match form {
                    Form::Json => (Some("application/json"), text.into_bytes()),
                    Form::Xml => {
                        let root = twin::root_of(&step.target);
                        let xml = twin::xml(root, &text)?;
                        (Some("application/xml"), xml.into_bytes())
                    }
                }
            }
        };
        if let Some(media_type) = media_type
            && request.header("content-type").is_none()
        {
            request.push("Content-Type", media_type.as_bytes());
        }
        request.body = Some(body);
        Ok(request)
    }

    /// Returns the first value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&[u8]> {
        let mut named = self.headers.iter().filter(|(given, _)| given.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.as_slice())
    }

    /// Returns the headers that frame the body.
    pub(crate) fn framing(&self) -> Option<(&'static str, String)> {
        let body = self.body.as_ref()?;
        Some(match self.chunked {
            true => ("Transfer-Encoding", "chunked".to_owned()),
            false => ("Content-Length", body.len().to_string()),
        })
    }

    /// Returns the request as readable text.
    pub(crate) fn shown(&self) -> String {
        let mut shown = format!("{} {}\n", self.method, self.target);
        for (name, value) in &self.headers {
            // Writing to a string cannot fail.
            let _ = writeln!(shown, "{name}: {}", value.escape_ascii());
        }
        if let Some(body) = &self.body {
            let _ = writeln!(shown, "\n{}", cut(&String::from_utf8_lossy(body)));
        }
        shown
    }

    fn push(&mut self, name: &str, value: &[u8]) {
        self.headers.push((name.to_owned(), value.to_owned()));
    }
}

/// Returns the text, cut when it is longer than a reader needs.
pub(crate) fn cut(text: &str) -> String {
    const ENOUGH: usize = 1500;
    match text.char_indices().nth(ENOUGH) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
