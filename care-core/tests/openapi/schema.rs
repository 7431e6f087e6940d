//! A validator for the keywords that the document uses. It fails at any other keyword.

use std::{collections::HashMap, sync::Mutex};

use regex::Regex;
use serde_json::Value;

use crate::description::resolve;

/// Returns the reasons why a value does not match the schema; none when it does. An unknown member is a fault even
/// where readers must tolerate it: the service promises to send no other members.
pub(crate) fn faults(schema: &'static Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(schema, value, "", &mut faults);
    faults
}

fn check(schema: &'static Value, value: &Value, place: &str, faults: &mut Vec<String>) {
    for (keyword, rule) in schema.as_object().unwrap() {
        if !holds(schema, keyword, rule, value, place, faults) {
            faults.push(format!("{place}: {keyword} {rule} refuses {value}"));
        }
    }
}

fn holds(
    schema: &'static Value,
    keyword: &str,
    rule: &'static Value,
    value: &Value,
    place: &str,
    faults: &mut Vec<String>,
) -> bool {
    match keyword {
        "description" | "examples" | "xml" | "default" | "additionalProperties" | "x-extension" => true,
        "$ref" => {
            check(resolve(schema), value, place, faults);
            true
        }
        "type" => match rule {
            Value::Array(types) => types.iter().any(|kind| is_a(kind, value)),
            kind => is_a(kind, value),
        },
        "format" => match rule.as_str().unwrap() {
            "int64" => value.is_null() || value.is_i64(),
            "double" => value.is_null() || value.as_f64().is_some_and(f64::is_finite),
            "date-time" => is_match(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$", value),
            "uri" => is_match("^[a-z]+:", value),
            other => panic!("unknown format {other}"),
        },
        "enum" => rule.as_array().unwrap().contains(value),
        "pattern" => is_match(rule.as_str().unwrap(), value),
        "minimum" => compare(value, rule, |value, limit| value >= limit),
        "maximum" => compare(value, rule, |value, limit| value <= limit),
        "exclusiveMinimum" => compare(value, rule, |value, limit| value > limit),
        "maxLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 <= rule.as_u64().unwrap()),
        "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
        "not" => !self::faults(rule, value).is_empty(),
        "anyOf" => rule.as_array().unwrap().iter().any(|schema| self::faults(schema, value).is_empty()),
        "items" => {
            for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                check(rule, item, &format!("{place}[{index}]"), faults);
            }
            true
        }
        "required" => value.as_object().is_none_or(|members| {
            let mut required = rule.as_array().unwrap().iter();
            required.all(|name| members.contains_key(name.as_str().unwrap()))
        }),
        "properties" => value.as_object().is_none_or(|members| {
            for (name, member) in members {
                if let Some(schema) = rule.get(name) {
                    check(schema, member, &format!("{place}.{name}"), faults);
                }
            }
            members.keys().all(|name| rule.get(name).is_some())
        }),
        other => panic!("unknown keyword {other}"),
    }
}

fn is_a(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("unknown type {other}"),
    }
}

fn compare(value: &Value, limit: &Value, holds: impl Fn(f64, f64) -> bool) -> bool {
    match (value.as_i64(), limit.as_i64()) {
        // Doubles would not distinguish large integers.
        (Some(value), Some(limit)) if value != limit => holds(if value < limit { -1.0 } else { 1.0 }, 0.0),
        (Some(_), Some(_)) => holds(0.0, 0.0),
        _ => value.as_f64().is_none_or(|value| holds(value, limit.as_f64().unwrap())),
    }
}

fn is_match(pattern: &'static str, value: &Value) -> bool {
    static COMPILED: Mutex<Option<HashMap<&str, Regex>>> = Mutex::new(None);
    let Some(text) = value.as_str() else {
        return true;
    };
    let mut compiled = COMPILED.lock().unwrap();
    let compiled = compiled.get_or_insert_default();
    compiled.entry(pattern).or_insert_with(|| Regex::new(pattern).unwrap()).is_match(text)
}
