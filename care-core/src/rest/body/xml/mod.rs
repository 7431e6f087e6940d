//! A strict reader of XML, which yields [`Members`].
//!
//! `quick-xml` cuts the document into tags, texts, comments and references, and pairs the tags. It does not check their
//! content, so names, attributes, characters and references are checked here. Accepted documents are a small part of
//! well-formed XML 1.0 with namespaces.
//!
//! `roxmltree` would halve this module, and was tried: it takes 19 s for a tag of 600 kB of attributes, reads
//! `&#xD800;` as U+FFFD instead of refusing it, and accepts a tag that declares a namespace twice.

mod attributes;
mod text;

use quick_xml::{Reader, events::Event};

use super::value::{MAX_DEPTH, Members, Syntax, TOO_DEEP, Value, XML_SPACE};
use attributes::Namespaces;
use text::MALFORMED;

/// Reads a document whose root is one of `roots`. The children of the root are the fields.
///
/// An element with children becomes [`Value::Members`], one without [`Value::Markup`], one with `xsi:nil`
/// [`Value::Null`].
pub(crate) fn read<'a>(body: &'a [u8], roots: &[&str]) -> Result<Members<'a>, Syntax> {
    let text = std::str::from_utf8(body).map_err(|_| Syntax("The body is not UTF-8."))?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    // The library would skip a second mark, which is text before the root.
    if text.starts_with(BYTE_ORDER_MARK) {
        return Err(MALFORMED);
    }
    if !text.chars().all(text::is_allowed) {
        return Err(text::FORBIDDEN);
    }
    Document::new(text).read(roots)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

struct Document<'a> {
    text: &'a str,
    events: Reader<&'a [u8]>,
    namespaces: Namespaces<'a>,
}

impl<'a> Document<'a> {
    fn new(text: &'a str) -> Self {
        let mut events = Reader::from_str(text);
        events.config_mut().expand_empty_elements = true;
        Self { text, events, namespaces: Namespaces::default() }
    }

    fn read(mut self, roots: &[&str]) -> Result<Members<'a>, Syntax> {
        let tag = self.prolog()?;
        let (name, value) = self.element(tag, MAX_DEPTH)?;
        if !roots.contains(&name) {
            return Err(Syntax("The root element is not the one of this record."));
        }
        self.epilog()?;
        value.members().map_err(|_| Syntax("The root element must hold the fields of the record."))
    }

    /// Reads everything before the root, and returns the root's tag.
    fn prolog(&mut self) -> Result<&'a str, Syntax> {
        let mut first = true;
        loop {
            let (event, raw) = self.next()?;
            match event {
                Event::Decl(_) if first => attributes::check_declaration(raw)?,
                Event::Text(text) if text.trim_matches(XML_SPACE).is_empty() => {}
                Event::Comment(comment) => text::check_comment(&comment)?,
                Event::Start(_) => return Ok(raw),
                event => return Err(refusal(&event)),
            }
            first = false;
        }
    }

    /// Reads everything after the root.
    fn epilog(&mut self) -> Result<(), Syntax> {
        loop {
            match self.next()?.0 {
                Event::Text(text) if text.trim_matches(XML_SPACE).is_empty() => {}
                Event::Comment(comment) => text::check_comment(&comment)?,
                Event::Eof => return Ok(()),
                event => return Err(refusal(&event)),
            }
        }
    }

    /// Reads one element after its start tag, up to and including its end tag.
    fn element(&mut self, tag: &'a str, levels: usize) -> Result<(&'a str, Value<'a>), Syntax> {
        let levels = levels.checked_sub(1).ok_or(TOO_DEEP)?;
        let outer = self.namespaces.depth();
        let (name, nil) = self.namespaces.open(tag)?;
        let mut content = text::Content::default();
        let mut fields = Vec::new();
        loop {
            let (event, raw) = self.next()?;
            match event {
                Event::Start(_) => {
                    let (name, value) = self.element(raw, levels)?;
                    fields.push((name.into(), value));
                }
                Event::End(_) => break,
                Event::Text(text) => content.push_text(&text)?,
                Event::CData(text) => content.push(text.xml10_content()),
                Event::GeneralRef(name) => content.push(text::resolve(&name)?.to_string().into()),
                Event::Comment(comment) => text::check_comment(&comment)?,
                event => return Err(refusal(&event)),
            }
        }
        self.namespaces.close(outer);
        let content = content.into_text();
        let value = match (nil, fields.is_empty()) {
            (true, true) if content.is_empty() => Value::Null,
            (true, _) => return Err(Syntax("An element with xsi:nil must be empty.")),
            (false, true) => Value::Markup(content),
            (false, false) if content.trim_matches(XML_SPACE).is_empty() => {
                Value::Members(Members { fields, markup: true })
            }
            (false, false) => return Err(Syntax("Text stands beside elements.")),
        };
        Ok((name, value))
    }

    /// Returns the next event, and the part of the document that it was read from, to borrow names from.
    fn next(&mut self) -> Result<(Event<'a>, &'a str), Syntax> {
        let from = self.position();
        let event = self.events.read_event().map_err(|_| MALFORMED)?;
        let raw = self.text.get(from..self.position()).ok_or(MALFORMED)?;
        Ok((event, raw))
    }

    fn position(&self) -> usize {
        usize::try_from(self.events.buffer_position()).unwrap_or(usize::MAX)
    }
}

/// Returns the reason why an event is not allowed at its place.
fn refusal(event: &Event<'_>) -> Syntax {
    match event {
        Event::DocType(_) => Syntax("A document type declaration is not accepted."),
        Event::PI(_) => Syntax("A processing instruction is not accepted."),
        _ => MALFORMED,
    }
}

#[cfg(test)]
mod tests;
