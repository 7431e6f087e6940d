//! The notes of a check, and the documents of the service.

use serde_json::{Value, json};

use crate::Answer;

/// Returns a value as a person writes it.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns what a cell or a part of a line says: a number, or a text.
pub(crate) fn given(text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => json!(number),
        _ => json!(text),
    }
}

/// Returns the member of a document at a path such as `items.-1.invoiceId`, which counts from the end.
pub(crate) fn member(document: &Value, path: &str) -> Answer<Value> {
    let mut found = document;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let next = match (found, part.parse::<isize>()) {
            (Value::Array(items), Ok(place)) => usize::try_from(place)
                .ok()
                .or_else(|| items.len().checked_add_signed(place))
                .and_then(|at| items.get(at)),
            (found, _) => found.get(part),
        };
        found = next.ok_or_else(|| format!("there is no {path} in {document}"))?;
    }
    Ok(found.clone())
}

/// Returns whether a document has what is wanted: the members of an object among others, the items of a list exactly.
/// A member that is `null` is absent.
pub(crate) fn has(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            wanted.iter().all(|(name, wanted)| has(found.get(name).unwrap_or(&Value::Null), wanted))
        }
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| has(found, wanted))
        }
        (Value::Number(found), Value::Number(wanted)) => found.as_f64() == wanted.as_f64(),
        (found, wanted) => found == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_what_is_wanted_of_it() {
        let found = json!({ "items": [{ "a": 1, "b": 2.5 }], "more": true });
        assert!(has(&found, &json!({ "items": [{ "a": 1.0 }], "next": null })));
        assert!(!has(&found, &json!({ "items": [] })));
        assert!(!has(&found, &json!({ "items": [{ "a": 1 }, {}] })));
        assert!(!has(&found, &json!({ "more": null })));
        assert_eq!(member(&found, "items.-1.b").unwrap(), json!(2.5));
        assert!(member(&found, "items.1").is_err());
        assert_eq!(member(&found, "").unwrap(), found);
    }
}
