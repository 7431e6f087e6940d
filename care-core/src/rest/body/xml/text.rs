//! Characters, references and comments.

use std::borrow::Cow;

use quick_xml::events::BytesText;

use crate::rest::body::value::Syntax;

pub(super) const MALFORMED: Syntax = Syntax("The body is not well-formed XML.");

pub(super) const FORBIDDEN: Syntax = Syntax("The body holds a character that XML does not allow.");

/// Returns whether XML 1.0 allows the character.
pub(super) fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// Returns the character of a reference, given the text between `&` and `;`. Entities cannot be declared, so there are
/// only the five of XML.
pub(super) fn resolve(name: &str) -> Result<char, Syntax> {
    let (digits, radix) = match (name, name.strip_prefix("#x"), name.strip_prefix('#')) {
        ("amp", ..) => return Ok('&'),
        ("lt", ..) => return Ok('<'),
        ("gt", ..) => return Ok('>'),
        ("quot", ..) => return Ok('"'),
        ("apos", ..) => return Ok('\''),
        (_, Some(digits), _) => (digits, 16),
        (_, None, Some(digits)) => (digits, 10),
        _ => return Err(Syntax("The body refers to an entity that is not defined.")),
    };
    // The number parser would accept a sign.
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(MALFORMED);
    }
    let code = u32::from_str_radix(digits, radix).map_err(|_| MALFORMED)?;
    char::from_u32(code).filter(|&character| is_allowed(character)).ok_or(FORBIDDEN)
}

/// Returns an attribute's value with its references resolved and its white space normalised by the rules of XML.
pub(super) fn attribute(raw: &str) -> Result<Cow<'_, str>, Syntax> {
    if !raw.contains(['&', '\t', '\n', '\r']) {
        return Ok(Cow::Borrowed(raw));
    }
    let spaced = raw.replace("\r\n", " ").replace(['\t', '\n', '\r'], " ");
    let mut parts = spaced.split('&');
    let mut value = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, text) = part.split_once(';').ok_or(MALFORMED)?;
        value.push(resolve(name)?);
        value.push_str(text);
    }
    Ok(Cow::Owned(value))
}

/// Checks a comment, which must not contain two hyphens or end with one.
pub(super) fn check_comment(comment: &str) -> Result<(), Syntax> {
    if comment.contains("--") || comment.ends_with('-') { Err(MALFORMED) } else { Ok(()) }
}

/// The text of one element, joined from the pieces between its tags.
#[derive(Default)]
pub(super) struct Content<'a>(Option<Cow<'a, str>>);

impl<'a> Content<'a> {
    /// Appends character data.
    pub(super) fn push_text(&mut self, text: &BytesText<'a>) -> Result<(), Syntax> {
        if text.contains("]]>") {
            return Err(MALFORMED);
        }
        self.push(text.xml10_content());
        Ok(())
    }

    /// Appends a text, and normalises its line ends.
    pub(super) fn push(&mut self, text: Cow<'a, str>) {
        match &mut self.0 {
            Some(content) => content.to_mut().push_str(&text),
            None => self.0 = Some(text),
        }
    }

    pub(super) fn into_text(self) -> Cow<'a, str> {
        self.0.unwrap_or_default()
    }
}
