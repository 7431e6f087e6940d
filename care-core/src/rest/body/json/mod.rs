//! A strict reader of JSON, which yields [`Members`].
//!
//! `serde_json` checks the grammar and returns the raw text of every value. A number is then judged by its spelling
//! (`1.0` and `1e0` are not integers), with the same function as numbers in XML.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize,
    de::{Deserializer, MapAccess, Visitor},
};
use serde_json::{error::Category, value::RawValue};

use super::value::{MAX_DEPTH, Members, Number, Syntax, TOO_DEEP, Value};

/// Reads a body, which must be a single object in UTF-8 without a byte order mark.
pub(crate) fn read(body: &[u8]) -> Result<Members<'_>, Syntax> {
    let text = std::str::from_utf8(body).map_err(|_| Syntax("The body is not UTF-8."))?;
    object(text, MAX_DEPTH)
}

fn object(text: &str, levels: usize) -> Result<Members<'_>, Syntax> {
    let levels = levels.checked_sub(1).ok_or(TOO_DEEP)?;
    let Object(raw) = serde_json::from_str(text).map_err(|error| syntax(&error))?;
    let fields = raw.into_iter().map(|(name, raw)| Ok((name, value(raw.get(), levels)?)));
    Ok(Members { fields: fields.collect::<Result<_, _>>()?, markup: false })
}

fn list(text: &str, levels: usize) -> Result<Vec<Value<'_>>, Syntax> {
    let levels = levels.checked_sub(1).ok_or(TOO_DEEP)?;
    let raw: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| syntax(&error))?;
    raw.into_iter().map(|raw| value(raw.get(), levels)).collect()
}

/// Returns the value of a text that is valid JSON, so that its first byte decides its type.
fn value(text: &str, levels: usize) -> Result<Value<'_>, Syntax> {
    Ok(match text.as_bytes().first() {
        Some(b'n') => Value::Null,
        Some(b't') => Value::Bool(true),
        Some(b'f') => Value::Bool(false),
        Some(b'"') => {
            let Text(text) = serde_json::from_str(text).map_err(|error| syntax(&error))?;
            Value::Text(text)
        }
        Some(b'[') => Value::List(list(text, levels)?),
        Some(b'{') => Value::Members(object(text, levels)?),
        _ => Value::Number(Number::of(text)),
    })
}

/// Returns the sentence for an error. The library's own text quotes the body, so only the kind of the error is used.
fn syntax(error: &serde_json::Error) -> Syntax {
    match error.classify() {
        Category::Data => Syntax("The body must be one JSON object."),
        Category::Eof => Syntax("The JSON document ends too early."),
        Category::Syntax | Category::Io => Syntax("The body is not JSON."),
    }
}

/// A string, borrowed from the document when it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The members of one object. A `HashMap` would drop repeated names, and a derived struct would accept an array.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

/// The number of members that a list has room for, so that that of a usual record never has to grow.
const USUAL: usize = 12;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(USUAL);
        while let Some((Text(name), value)) = map.next_entry()? {
            members.push((name, value));
        }
        Ok(Object(members))
    }
}

#[cfg(test)]
mod tests;
