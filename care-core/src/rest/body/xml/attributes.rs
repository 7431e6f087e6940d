//! Start tags with their attributes and namespace declarations, and the XML declaration.

use super::text::{self, MALFORMED};
use crate::rest::body::value::{Syntax, XML_SPACE};

const SCHEMA_INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";
const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// The highest number of attributes of a tag. Each is compared with all before it, and the contract needs only a few.
const MAX_ATTRIBUTES: usize = 64;

const UNKNOWN: Syntax = Syntax("An attribute is not accepted.");

/// The prefixes in scope, the innermost last, each with whether it stands for the namespace of `xsi:nil`.
#[derive(Default)]
pub(super) struct Namespaces<'a>(Vec<(&'a str, bool)>);

impl<'a> Namespaces<'a> {
    /// Reads a start tag. Returns the element's name and the value of `xsi:nil`.
    pub(super) fn open(&mut self, tag: &'a str) -> Result<(&'a str, bool), Syntax> {
        let tag = tag.strip_prefix('<').and_then(|tag| tag.strip_suffix('>')).ok_or(MALFORMED)?;
        let tag = tag.strip_suffix('/').unwrap_or(tag);
        let (name, attributes) = tag.split_at(tag.find(XML_SPACE).unwrap_or(tag.len()));
        check_name(name)?;
        let attributes = split(attributes)?;
        // The attribute that declares a prefix may stand after the one that uses it.
        for (name, value) in &attributes {
            self.declare(name, value)?;
        }
        let mut seen = Vec::new();
        let mut nil = false;
        for (name, value) in attributes.into_iter().filter(|(name, _)| !is_declaration(name)) {
            let name = self.schema_instance(name).ok_or(UNKNOWN)?;
            let value = text::attribute(value)?;
            // Two prefixes may stand for the same namespace.
            if seen.contains(&name) {
                return Err(MALFORMED);
            }
            seen.push(name);
            match name {
                "schemaLocation" | "noNamespaceSchemaLocation" => {}
                "nil" => {
                    nil = match value.trim_matches(XML_SPACE) {
                        "true" | "1" => true,
                        "false" | "0" => false,
                        _ => return Err(Syntax("The attribute xsi:nil must be true or false.")),
                    }
                }
                _ => return Err(UNKNOWN),
            }
        }
        Ok((name, nil))
    }

    /// Returns the number of prefixes in scope, for [`close`](Self::close).
    pub(super) fn depth(&self) -> usize {
        self.0.len()
    }

    /// Removes the prefixes that were declared since the scope had this depth.
    pub(super) fn close(&mut self, depth: usize) {
        self.0.truncate(depth);
    }

    /// Adds the prefix of an attribute that declares a namespace.
    fn declare(&mut self, name: &'a str, value: &str) -> Result<(), Syntax> {
        if !is_declaration(name) {
            return Ok(());
        }
        let namespace = text::attribute(value)?;
        let Some(prefix) = name.strip_prefix("xmlns:") else {
            return if [XML, XMLNS].contains(&&*namespace) { Err(MALFORMED) } else { Ok(()) };
        };
        check_name(prefix)?;
        // `xml` always stands for its own namespace, for which there is no other prefix; `xmlns` is never declared.
        let reserved = prefix == "xmlns" || (prefix == "xml") != (namespace == XML) || namespace == XMLNS;
        if reserved || namespace.is_empty() {
            return Err(MALFORMED);
        }
        self.0.push((prefix, namespace == SCHEMA_INSTANCE));
        Ok(())
    }

    /// Returns the local part of a name in the namespace of `xsi:nil`.
    fn schema_instance<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (prefix, local) = name.split_once(':')?;
        let (_, is_schema_instance) = self.0.iter().rev().find(|(declared, _)| *declared == prefix)?;
        is_schema_instance.then_some(local)
    }
}

/// Checks an XML declaration: version 1.0, and UTF-8 if it names an encoding.
pub(super) fn check_declaration(declaration: &str) -> Result<(), Syntax> {
    let inner = declaration.strip_prefix("<?xml").and_then(|inner| inner.strip_suffix("?>")).ok_or(MALFORMED)?;
    let attributes = split(inner)?;
    let mut attributes = attributes.as_slice();
    let mut next = |wanted| match attributes {
        [(name, value), rest @ ..] if *name == wanted => {
            attributes = rest;
            Some(*value)
        }
        _ => None,
    };
    match next("version") {
        Some("1.0") => {}
        Some(_) => return Err(Syntax("The XML version must be 1.0.")),
        None => return Err(MALFORMED),
    }
    if next("encoding").is_some_and(|encoding| !encoding.eq_ignore_ascii_case("UTF-8")) {
        return Err(Syntax("The declared encoding must be UTF-8."));
    }
    if next("standalone").is_some_and(|standalone| !["yes", "no"].contains(&standalone)) || !attributes.is_empty() {
        return Err(MALFORMED);
    }
    Ok(())
}

/// Returns the raw attributes: names, and values without their quotes.
fn split(mut rest: &str) -> Result<Vec<(&str, &str)>, Syntax> {
    let mut attributes: Vec<(&str, &str)> = Vec::new();
    loop {
        let attribute = rest.trim_start_matches(XML_SPACE);
        if attribute.is_empty() {
            return Ok(attributes);
        }
        if attribute.len() == rest.len() || attributes.len() == MAX_ATTRIBUTES {
            return Err(MALFORMED);
        }
        let (name, value) = attribute.split_once('=').ok_or(MALFORMED)?;
        let name = name.trim_end_matches(XML_SPACE);
        let value = value.trim_start_matches(XML_SPACE);
        let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote)).ok_or(MALFORMED)?;
        let (value, after) = value[1..].split_once(quote).ok_or(MALFORMED)?;
        if value.contains('<') || attributes.iter().any(|(other, _)| *other == name) {
            return Err(MALFORMED);
        }
        attributes.push((name, value));
        rest = after;
    }
}

fn is_declaration(name: &str) -> bool {
    name == "xmlns" || name.starts_with("xmlns:")
}

/// Checks a name. All names of the contract are ASCII, so XML's long tables of name characters are not needed. A name
/// with a colon has a prefix, which no field has.
fn check_name(name: &str) -> Result<(), Syntax> {
    let first = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if first && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)) {
        Ok(())
    } else {
        Err(Syntax("The body holds a name that no record has."))
    }
}
