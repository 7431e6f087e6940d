//! Comparing answers with expectations.

use serde_json::Value;

use super::{answer::Answer, shape};
use crate::http::text::{
    case::{Expectation, Step},
    pattern::{Names, fill, matches},
};

/// Returns the first expectation of a step that its answer fails.
pub(crate) fn meet(step: &Step, answer: &Answer, earlier: &[Answer], names: &mut Names) -> Result<(), String> {
    if answer.status != step.status {
        return Err(format!("expected the status {}", step.status));
    }
    step.expected.iter().try_for_each(|expectation| one(expectation, answer, earlier, names))
}

fn one(expectation: &Expectation, answer: &Answer, earlier: &[Answer], names: &mut Names) -> Result<(), String> {
    match expectation {
        Expectation::Header(name, pattern) => {
            let value = answer.header(name)?;
            let value = value.ok_or_else(|| format!("expected a header {name}"))?;
            holds(matches(pattern, value, names), || format!("expected {name}: {pattern}"))
        }
        Expectation::NoHeader(name) => {
            let value = answer.header(name)?;
            holds(value.is_none(), || format!("expected no header {name}"))
        }
        Expectation::Problem(kind, fields) => problem(answer, kind, fields),
        Expectation::Json(expected) => record(answer, expected, true, names),
        Expectation::With(expected) => record(answer, expected, false, names),
        Expectation::Body(expected) => {
            let expected = fill(expected, names)?;
            holds(answer.body == expected.as_bytes(), || format!("expected the body {expected}"))
        }
        Expectation::Empty => holds(answer.body.is_empty(), || "expected no body".to_owned()),
        Expectation::Contains(part) => {
            let part = fill(part, names)?;
            holds(answer.text()?.contains(&part), || format!("expected {part} in the body"))
        }
        Expectation::Lacks(part) => {
            let part = fill(part, names)?;
            // A request id is random, so it could contain the text by chance.
            let essence = answer.essence();
            holds(!essence.text()?.contains(&part), || format!("expected no {part} in the body"))
        }
        Expectation::SameAs(step) => {
            let other = step.checked_sub(1).and_then(|index| earlier.get(index));
            let other = other.ok_or_else(|| format!("there is no step {step} before"))?;
            holds(answer.essence() == other.essence(), || {
                format!("expected the answer of step {step}:\n{}", other.shown())
            })
        }
    }
}

fn problem(answer: &Answer, kind: &str, fields: &[String]) -> Result<(), String> {
    if answer.body.is_empty() {
        return Err("expected a problem".to_owned());
    }
    let like: Value = serde_json::json!({ "errors": [{ "field": "" }] });
    let actual = shape::body(answer, &like)?;
    let expected = format!("urn:care:problem:{kind}");
    holds(actual["type"] == *expected, || format!("expected the type {expected}"))?;
    let errors = actual["errors"].as_array();
    let mut at_fault: Vec<_> =
        errors.into_iter().flatten().map(|error| error["field"].as_str().unwrap_or("(none)")).collect();
    at_fault.sort_unstable();
    let mut expected: Vec<_> = fields.iter().map(String::as_str).collect();
    expected.sort_unstable();
    holds(at_fault == expected, || format!("expected the fields {expected:?} to be at fault"))
}

fn record(answer: &Answer, expected: &str, whole: bool, names: &mut Names) -> Result<(), String> {
    let expected: Value =
        serde_json::from_str(expected).map_err(|error| format!("what the case expects is not JSON: {error}"))?;
    let actual = shape::body(answer, &expected)?;
    shape::compare(&expected, &actual, whole, names)
}

fn holds(condition: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    match condition {
        true => Ok(()),
        false => Err(otherwise()),
    }
}
