//! Lines of exports from before version 0.1.0.

use serde_json::{Map, Value};

/// Returns the line in today's form; `None` when it is not in the earlier one.
///
/// Before 0.1.0 an entry held the replaced versions beside its changes, one for each of them, and a read was a change:
/// ```json
/// {"changes": [{"change": "put", "record": "Voided", "id": "7", "value": {"patientId": 7}}], "replaced": [3]}
/// ```
pub(super) fn in_todays_form(line: &[u8]) -> Option<Vec<u8>> {
    // Most lines are spared a second reading.
    let line = str::from_utf8(line).ok().filter(|line| line.contains("\"replaced\":["))?;
    let mut entry: Map<String, Value> = serde_json::from_str(line).ok()?;
    let Value::Array(replaced) = entry.remove("replaced")? else { return None };
    let Value::Array(changes) = entry.remove("changes")? else { return None };
    if changes.len() != replaced.len() || entry.contains_key("reads") {
        return None;
    }
    let (mut revisions, mut reads) = (Vec::new(), Vec::new());
    for (change, replaced) in changes.into_iter().zip(replaced) {
        let Value::Object(mut change) = change else { return None };
        if change.get("change")? == "read" {
            change.remove("change");
            reads.push(Value::Object(change));
            continue;
        }
        if replaced != 0 {
            change.insert("replaced".to_owned(), replaced);
        }
        revisions.push(Value::Object(change));
    }
    entry.insert("changes".to_owned(), revisions.into());
    if !reads.is_empty() {
        entry.insert("reads".to_owned(), reads.into());
    }
    serde_json::to_vec(&entry).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn todays(line: &str) -> Option<Value> {
        in_todays_form(line.as_bytes()).map(|line| serde_json::from_slice(&line).expect("JSON was written"))
    }

    #[test]
    fn replaced_versions_go_into_their_changes_and_reads_beside_them() {
        let earlier = r#"{"seq":4,"changes":[{"change":"put","record":"Voided","id":"7","value":{"patientId":7}},
            {"change":"remove","record":"Item","id":"a"},{"change":"read","record":"Invoice","id":"1"}],
            "replaced":[0,3,2]}"#;
        let expected = r#"{"seq":4,"changes":[{"change":"put","record":"Voided","id":"7","value":{"patientId":7}},
            {"change":"remove","record":"Item","id":"a","replaced":3}],"reads":[{"record":"Invoice","id":"1"}]}"#;
        assert_eq!(todays(earlier), serde_json::from_str(expected).ok());
    }

    #[test]
    fn other_lines_are_left_alone() {
        for line in
            ["", "[]", r#"{"changes":[]}"#, r#"{"changes":[],"replaced":[1]}"#, r#"{"changes":[1],"replaced":[1]}"#]
        {
            assert_eq!(todays(line), None, "{line}");
        }
    }
}
