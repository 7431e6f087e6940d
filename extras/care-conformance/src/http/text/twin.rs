//! JSON bodies as XML, for the XML twin of a case.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Returns the root element of the record that a body for this path holds.
pub(crate) fn root_of(target: &str) -> &'static str {
    let mut segments = target.split(['/', '?']).skip(1);
    match (segments.next(), segments.nth(1)) {
        (Some("prescriptions"), Some("supply")) => "Supply",
        (Some("prescriptions"), _) => "Prescription",
        (Some("inventory"), Some("stock")) => "Stock",
        (Some("inventory"), Some("movements")) => "Movement",
        (Some("inventory"), Some("count")) => "Count",
        (Some("inventory"), _) => "Inventory",
        (Some("invoice"), Some("payment")) => "Payment",
        (Some("invoice"), Some("refund")) => "Refund",
        (Some("receipts"), _) => "Correction",
        (Some("consultations"), _) => "Consultation",
        _ => "Patient",
    }
}

/// Returns the record as XML. Numbers keep their spelling, so that both twins test the same one.
pub(crate) fn xml(root: &str, json: &str) -> Result<String, String> {
    let json = serde_json::from_str(json).map_err(|_| "a case with twins must send records as JSON".to_owned())?;
    let mut xml = String::new();
    element(&mut xml, root, json)?;
    Ok(xml)
}

fn element(xml: &mut String, name: &str, value: &RawValue) -> Result<(), String> {
    let text = value.get();
    let wrong = |_| format!("not a value: {text}");
    let content = match text.as_bytes().first() {
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(text).map_err(wrong)?;
            return elements.into_iter().try_for_each(|value| element(xml, name, value));
        }
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(wrong)?;
            let mut content = String::new();
            for (name, value) in members {
                element(&mut content, &name, value)?;
            }
            content
        }
        Some(b'"') => escape(&serde_json::from_str::<String>(text).map_err(wrong)?),
        _ if text == "null" => {
            let nil = r#"xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true""#;
            xml.push_str(&format!("<{name} {nil}/>"));
            return Ok(());
        }
        _ => text.to_owned(),
    };
    xml.push_str(&format!("<{name}>{content}</{name}>"));
    Ok(())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#13;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_becomes_an_element() {
        let json = r#"{"age":1e2,"list":["a","<b>"],"none":null,"deep":[{"x":true}]}"#;
        let nil = r#"<none xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>"#;
        let expected =
            format!("<P><age>1e2</age><deep><x>true</x></deep><list>a</list><list>&lt;b&gt;</list>{nil}</P>");
        assert_eq!(xml("P", json), Ok(expected));
    }
}
