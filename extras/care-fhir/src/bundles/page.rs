//! Pages: the parameters that choose one, the `Bundle` that holds it, and the pieces in which it is written.

use bytes::Bytes;
use care_core::rest::{CursorMark, FacadeRequest, pass};
use http::{Response, StatusCode};

use crate::{
    form::Form,
    outcome::{self, Fault},
    writer::{Items, Writer, document},
};

/// The number of resources of a page, unless told.
const USUAL: usize = 50;
/// The bytes of most pages, so that their text need not move as it grows.
const USUAL_BYTES: usize = 48 << 10;
/// The most bytes of a page that has more than one entry.
pub(crate) const LONGEST: usize = 1 << 20;
/// The most bytes of the entries of a page, which leaves room for its links.
const MOST_BYTES: usize = LONGEST - (64 << 10);

/// The number of resources in a piece.
pub(super) const RESOURCES: usize = 16;
/// The bytes after which a piece ends even with fewer resources.
const PIECE_BYTES: usize = 64 << 10;

/// The parameters that choose a page and its form.
#[derive(Debug, Default)]
pub(crate) struct Paging {
    count: Option<usize>,
    cursor: Option<String>,
    /// The parameters that are supported, as the client wrote them.
    kept: Vec<(String, String)>,
    /// The others, which are left out as a lenient client wants it.
    left_out: Vec<String>,
}

impl Paging {
    /// Reads the parameters of an interaction that has no others.
    pub(crate) fn read(request: &FacadeRequest<'_>, is_lenient: bool) -> Result<Self, Fault> {
        let mut paging = Self::default();
        for (name, value) in request.query {
            if !paging.takes(name, value)? {
                paging.leaves_out(name);
            }
        }
        paging.checked(is_lenient)
    }

    /// Takes a parameter if it is one of these.
    pub(crate) fn takes(&mut self, name: &str, value: &str) -> Result<bool, Fault> {
        match name {
            "_format" | "_pretty" => {}
            "_count" if self.count.is_some() => return Err(Fault::Invalid("_count")),
            "_count" => self.count = Some(count(value)?),
            "_cursor" if self.cursor.is_some() => return Err(Fault::Invalid("_cursor")),
            "_cursor" => self.cursor = Some(value.to_owned()),
            _ => return Ok(false),
        }
        self.keeps(name, value);
        Ok(true)
    }

    /// Keeps a parameter for the links.
    pub(crate) fn keeps(&mut self, name: &str, value: &str) {
        self.kept.push((name.to_owned(), value.to_owned()));
    }

    /// Leaves out a parameter that is not supported.
    pub(crate) fn leaves_out(&mut self, name: &str) {
        self.left_out.push(name.to_owned());
    }

    /// Refuses what was left out unless the client is lenient.
    pub(crate) fn checked(self, is_lenient: bool) -> Result<Self, Fault> {
        match self.left_out.is_empty() || is_lenient {
            true => Ok(self),
            false => Err(Fault::parameters(self.left_out.iter().map(String::as_str))),
        }
    }
}

/// Returns the number of resources that a client would like to have, which may be any.
fn count(value: &str) -> Result<usize, Fault> {
    let is_plain = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    match value.trim_start_matches('0') {
        _ if !is_plain => Err(Fault::Invalid("_count")),
        "" => Err(Fault::NoCount),
        digits => Ok(digits.parse().unwrap_or(usize::MAX)),
    }
}

/// A page that is being filled.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    form: Form,
    kind: &'static str,
    /// The address of the list.
    address: String,
    paging: &'a Paging,
    mark: CursorMark,
    request_id: &'a str,
    count: usize,
    entries: Writer,
    /// The number of entries that were added.
    added: usize,
}

impl<'a> Page<'a> {
    /// Returns an empty page of this kind, of the list that the request's path and these parameters name.
    pub(crate) fn new(
        request: &FacadeRequest<'a>,
        form: Form,
        kind: &'static str,
        (paging, parameters): (&'a Paging, Vec<(&str, String)>),
    ) -> Self {
        let path = request.segments.join("/");
        Self {
            form,
            kind,
            address: below(request, &path),
            paging,
            mark: CursorMark::new(&path, parameters),
            request_id: request.request_id,
            count: paging.count.unwrap_or(USUAL).min(request.page),
            entries: Writer::with_room(form, USUAL_BYTES),
            added: 0,
        }
    }

    /// Returns where the page begins; `None` at the beginning of the list.
    pub(crate) fn begins(&self) -> Result<Option<String>, Fault> {
        let cursor = self.paging.cursor.as_ref();
        cursor.map(|cursor| self.mark.place(cursor).ok_or(Fault::Invalid("_cursor"))).transpose()
    }

    /// Returns the number of entries that it can still take, and one more, which shows whether the list goes on.
    pub(crate) const fn room(&self) -> usize {
        self.count - self.added + 1
    }

    /// Returns the length of its entries in bytes.
    pub(crate) const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds an entry, unless the page is full. It takes one at least.
    pub(crate) fn add(&mut self, entry: impl FnOnce(&mut Writer)) -> bool {
        if self.added >= self.count {
            return false;
        }
        let bytes = self.entries.len();
        self.entries.items("entry").object(entry);
        if self.entries.len() > MOST_BYTES && self.added > 0 {
            self.entries.truncate(bytes);
            return false;
        }
        self.added += 1;
        true
    }

    /// Returns the answer, with a link to the page that begins here if the list goes on.
    pub(crate) fn answer(mut self, next: Option<String>) -> Response<Bytes> {
        let kept: Vec<_> = self.paging.kept.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let cursor = next.map(|begin| self.mark.cursor(&begin));
        let next = cursor.as_deref().map(|cursor| {
            let mut others = kept.clone();
            others.retain(|(name, _)| *name != "_cursor");
            others.push(("_cursor", cursor));
            with(&self.address, &others)
        });
        // An entry of a history is a request and its response, so there is no place for it.
        if !self.paging.left_out.is_empty() && self.kind != "history" {
            self.entries.items("entry").object(|entry| left_out(entry, &self.paging.left_out, self.request_id));
        }
        let (entries, _) = self.entries.finish();
        let bundle = document(self.form, "Bundle", |bundle| {
            bundle.text("type", self.kind);
            bundle.list("link", |links| {
                link(links, "self", &with(&self.address, &kept));
                if let Some(next) = next {
                    link(links, "next", &next);
                }
            });
            bundle.list("entry", |all| all.written(&entries));
        });
        outcome::answer(StatusCode::OK, self.form, bundle)
    }
}

/// Returns the address of a path below the facade, absolute if the facade's is known.
pub(crate) fn below(request: &FacadeRequest<'_>, path: &str) -> String {
    request.address.map_or_else(|| path.to_owned(), |base| [base, "/", path].concat())
}

fn link(links: &mut Items<'_>, relation: &str, address: &str) {
    links.object(|link| {
        link.text("relation", relation);
        link.text("url", address);
    });
}

/// Writes the entry that tells a lenient client which parameters were left out, as far as they can be named.
fn left_out(entry: &mut Writer, names: &[String], request_id: &str) {
    let words = "Parameters that are not supported were left out; the link self has the others.";
    let names = outcome::named(names.iter().map(String::as_str));
    entry.resource("resource", "OperationOutcome", |outcome| {
        outcome::issue(outcome, ("warning", "not-supported"), words, request_id, &names);
    });
    entry.object("search", |search| search.text("mode", "outcome"));
}

/// Returns an address with these parameters.
fn with(address: &str, parameters: &[(&str, &str)]) -> String {
    let mut whole = address.to_owned();
    for (place, (name, value)) in parameters.iter().enumerate() {
        whole.push(if place == 0 { '?' } else { '&' });
        escape(name, &mut whole);
        whole.push('=');
        escape(value, &mut whole);
    }
    whole
}

fn escape(text: &str, out: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b',' | b':' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
}

/// The work of a request since others passed.
#[derive(Debug, Default)]
pub(super) struct Pace {
    resources: usize,
    bytes: usize,
}

impl Pace {
    /// Counts a resource of this many bytes, and lets others pass at the end of a piece.
    pub(super) async fn count(&mut self, bytes: usize) {
        self.resources += 1;
        self.bytes += bytes;
        if self.resources >= RESOURCES || self.bytes >= PIECE_BYTES {
            self.end_piece().await;
        }
    }

    /// Lets others pass.
    pub(super) async fn end_piece(&mut self) {
        let Self { bytes, .. } = std::mem::take(self);
        pass(bytes).await;
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future, pin::pin, task::Context};

    use super::*;

    #[test]
    fn a_count_is_a_plain_number() {
        assert_eq!((count("1"), count("0500"), count("501")), (Ok(1), Ok(500), Ok(501)));
        assert_eq!(count("99999999999999999999999"), Ok(usize::MAX));
        assert_eq!((count("0"), count("00")), (Err(Fault::NoCount), Err(Fault::NoCount)));
        for other in ["", "+1", "-1", "1.0", "x", " 1", "\u{661}"] {
            assert_eq!(count(other), Err(Fault::Invalid("_count")), "{other}");
        }
    }

    #[test]
    fn an_address_escapes_what_is_no_address() {
        let parameters = [("name", "Ada & Bo"), ("identifier", "urn:x/patient|7")];
        assert_eq!(with("Patient", &parameters), "Patient?name=Ada%20%26%20Bo&identifier=urn:x/patient%7C7");
        assert_eq!(with("Patient", &[]), "Patient");
    }

    /// Returns how often others pass while these resources are written.
    fn passes(sizes: &[usize]) -> usize {
        let mut work = pin!(async {
            let mut pace = Pace::default();
            for bytes in sizes {
                pace.count(*bytes).await;
            }
        });
        let mut context = Context::from_waker(std::task::Waker::noop());
        (0..=sizes.len()).take_while(|_| work.as_mut().poll(&mut context).is_pending()).count()
    }

    #[test]
    fn others_pass_after_some_resources_or_many_bytes() {
        assert_eq!(passes(&[1; RESOURCES - 1]), 0);
        assert_eq!(passes(&[1; 500]), 500 / RESOURCES);
        assert_eq!(passes(&[PIECE_BYTES / 2; 8]), 4);
        assert_eq!(passes(&[PIECE_BYTES; 3]), 3);
    }
}
