//! An answer as it was received.

use std::fmt::Write as _;

use crate::http::text::request::cut;

/// An answer; its headers in the order in which they arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The headers, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// Returns the value of a header that is there exactly once.
    pub(crate) fn header(&self, name: &str) -> Result<Option<&str>, String> {
        let mut named = self.headers.iter().filter(|(given, _)| given == name);
        match (named.next(), named.next()) {
            (value, None) => Ok(value.map(|(_, value)| value.as_str())),
            (_, Some(_)) => Err(format!("the header {name} is there more than once")),
        }
    }

    /// Returns the body as text.
    pub(crate) fn text(&self) -> Result<&str, String> {
        str::from_utf8(&self.body).map_err(|_| "the body is not UTF-8".to_owned())
    }

    /// Returns the answer without the parts in which two equal answers may differ: the headers that belong to the
    /// connection or the host, the request id, and the links of the journal's chain, which random salts go into.
    pub(crate) fn essence(&self) -> Self {
        const HOSTS: [&str; 5] = ["date", "server", "connection", "keep-alive", "transfer-encoding"];
        let id = self.header("x-request-id").ok().flatten().unwrap_or("");
        let body = match (id, str::from_utf8(&self.body)) {
            (_, Err(_)) => self.body.clone(),
            ("", Ok(text)) => without_links(text).into_bytes(),
            (id, Ok(text)) => without_links(&text.replace(id, "(id)")).into_bytes(),
        };
        let mut headers: Vec<_> = self
            .headers
            .iter()
            .filter(|(name, _)| !HOSTS.contains(&name.as_str()) && name != "x-request-id")
            .cloned()
            .collect();
        headers.sort();
        Self { status: self.status, headers, body }
    }

    /// Returns the answer as readable text.
    pub(crate) fn shown(&self) -> String {
        let mut shown = format!("{}\n", self.status);
        for (name, value) in &self.headers {
            // Writing to a string cannot fail.
            let _ = writeln!(shown, "{name}: {value}");
        }
        if !self.body.is_empty() {
            let _ = writeln!(shown, "\n{}", cut(&String::from_utf8_lossy(&self.body)));
        }
        shown
    }
}

/// Returns the text with an equal word in the place of each link.
fn without_links(text: &str) -> String {
    let is_other = |letter: char| !letter.is_ascii_hexdigit();
    let pieces = text.split_inclusive(is_other).map(|piece| {
        let digits = piece.trim_end_matches(is_other);
        if digits.len() == 64 { piece.replace(digits, "(link)") } else { piece.to_owned() }
    });
    pieces.collect()
}
