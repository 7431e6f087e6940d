//! Answers as values, from JSON or XML, and their comparison with expectations.

use serde_json::{Map, Value};

use super::{
    answer::Answer,
    xml::{self, Element},
};
use crate::http::text::pattern::{Names, matches};

/// Returns the answer's body as a value. XML has no types, so the expected value decides the types of texts.
pub(crate) fn body(answer: &Answer, expected: &Value) -> Result<Value, String> {
    let text = answer.text()?;
    match answer.header("content-type")? {
        Some("application/json" | "application/problem+json") => {
            serde_json::from_str(text).map_err(|_| "the body is not JSON".to_owned())
        }
        Some("application/xml" | "application/problem+xml") => Ok(shaped(Some(expected), &[&xml::read(text)?])),
        other => Err(format!("the body has the type {other:?}")),
    }
}

fn shaped(expected: Option<&Value>, elements: &[&Element]) -> Value {
    match (expected, elements) {
        (Some(Value::Array(expected)), elements) => {
            let items: Vec<&Element> = match elements {
                // In a problem document a list is one element with `i` elements in it.
                [list] if !list.children.is_empty() && list.children.iter().all(is_item) => {
                    list.children.iter().collect()
                }
                elements => elements.to_vec(),
            };
            let like = |index: usize| expected.get(index).or(expected.first());
            let items = items.iter().enumerate();
            items.map(|(index, item)| shaped(like(index), &[item])).collect()
        }
        (expected, [element]) if !element.children.is_empty() => object(expected, element),
        (Some(expected @ Value::Object(_)), [element]) if element.text.is_empty() => object(Some(expected), element),
        (Some(Value::Number(_) | Value::Bool(_)), [element]) => {
            serde_json::from_str(&element.text).unwrap_or_else(|_| element.text.clone().into())
        }
        (_, [element]) => element.text.clone().into(),
        (_, elements) => elements.iter().map(|element| shaped(None, &[element])).collect(),
    }
}

fn is_item(element: &Element) -> bool {
    element.name == "i"
}

fn object(expected: Option<&Value>, element: &Element) -> Value {
    let mut members = Map::new();
    for child in &element.children {
        if !members.contains_key(&child.name) {
            let same: Vec<_> = element.children.iter().filter(|other| other.name == child.name).collect();
            let expected = expected.and_then(|expected| expected.get(&child.name));
            members.insert(child.name.clone(), shaped(expected, &same));
        }
    }
    // XML cannot express an empty list.
    for (name, value) in expected.and_then(Value::as_object).into_iter().flatten() {
        if value.is_array() && !members.contains_key(name) {
            members.insert(name.clone(), Value::Array(Vec::new()));
        }
    }
    Value::Object(members)
}

/// Compares a value with the expected one: as a whole, or only the expected members.
pub(crate) fn compare(expected: &Value, actual: &Value, whole: bool, names: &mut Names) -> Result<(), String> {
    let wrong = || Err(format!("expected {expected}, got {actual}"));
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            for (name, value) in expected {
                match (value, actual.get(name)) {
                    (Value::Null, None) => {}
                    (Value::Null, Some(_)) => return Err(format!("{name} is there")),
                    (_, None) => return Err(format!("{name} is absent")),
                    (value, Some(actual)) => {
                        compare(value, actual, whole, names).map_err(|reason| format!("{name}: {reason}"))?
                    }
                }
            }
            let more = actual.keys().find(|name| !expected.contains_key(*name));
            match more.filter(|_| whole) {
                Some(name) => Err(format!("{name} is there, unexpectedly")),
                None => Ok(()),
            }
        }
        (Value::Array(expected), Value::Array(actual)) => {
            if expected.len() != actual.len() {
                return Err(format!("expected {} elements, got {}: {actual:?}", expected.len(), actual.len()));
            }
            let pairs = expected.iter().zip(actual).enumerate();
            for (index, (expected, actual)) in pairs {
                compare(expected, actual, whole, names).map_err(|reason| format!("[{index}]: {reason}"))?;
            }
            Ok(())
        }
        (Value::String(pattern), Value::String(text)) => match matches(pattern, text, names) {
            true => Ok(()),
            false => wrong(),
        },
        (Value::Number(one), Value::Number(other)) => {
            // 61 and 61.0 are the same number, but two integers that round to one double are not.
            let both_whole = one.is_i64() && other.is_i64();
            match one == other || !both_whole && one.as_f64() == other.as_f64() {
                true => Ok(()),
                false => wrong(),
            }
        }
        _ if expected == actual => Ok(()),
        _ => wrong(),
    }
}
