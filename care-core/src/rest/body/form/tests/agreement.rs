//! Every document that JSON accepts, XML accepts with the same outcome.

use proptest::prelude::*;
use quick_xml::escape::escape;

use super::*;

/// Returns a strategy for the characters that texts may contain.
fn character() -> impl Strategy<Value = char> {
    let special =
        proptest::sample::select(vec!['\t', '\n', ' ', '<', '>', '&', ']', '"', '\'', '\\', '-', '\u{fffd}', '😀']);
    prop_oneof![special, any::<char>()].prop_filter("allowed", |&character| {
        (!character.is_control() || "\t\n".contains(character)) && !"\u{fffe}\u{ffff}".contains(character)
    })
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(character(), 1..20).prop_map(String::from_iter)
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// Returns one text in every spelling of XML.
fn spellings(text: &str) -> [String; 4] {
    [
        escape(text).into_owned(),
        format!("<![CDATA[{}]]>", text.replace("]]>", "]]]]><![CDATA[>")),
        text.chars().map(|character| format!("&#x{:x};", u32::from(character))).collect(),
        text.chars().map(|character| format!("{}<!-- - -->", escape(&*character.to_string()))).collect(),
    ]
}

/// Returns a strategy for numbers, and for texts that resemble numbers.
fn literal() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:e}")),
        "-?[0-9]{1,3}",
        r"-?[0-9]{1,25}(\.[0-9]{0,20})?([eE][+-]?[0-9]{0,4})?",
        "[-+.eE0-9]{0,6}",
    ]
}

proptest! {
    #[test]
    fn texts_agree(text in text(), disease in text()) {
        let json = from_json(&format!("\"name\":{},\"diseases\":[{}]", quoted(&text), quoted(&disease)));
        let record = Record { name: name(&text).into(), diseases: vec![name(&disease)].into(), ..NOTHING };
        prop_assert_eq!(&json, &Ok(record));
        for (text, disease) in spellings(&text).iter().zip(&spellings(&disease)) {
            prop_assert_eq!(&from_xml(&format!("<diseases>{disease}</diseases><name>{text}</name>")), &json);
        }
    }

    #[test]
    fn numbers_agree(literal in literal(), before in "[ \t\n]{0,2}", after in "[ \t\n]{0,2}") {
        for field in ["age", "weight"] {
            let body = format!("{{\"{field}\":{before}{literal}{after}}}");
            let xml = from_xml(&format!("<{field}>{before}{literal}{after}</{field}>"));
            match json::read(body.as_bytes()) {
                Ok(members) => prop_assert_eq!(record(members), xml),
                // In JSON an invalid number makes the whole document invalid; in XML only the field.
                Err(_) => prop_assert!(matches!(xml, Err(BodyRefusal::Decode(_)))),
            }
        }
    }

    #[test]
    fn records_agree(
        insurance: Option<bool>,
        age in proptest::option::of(-10i64..200),
        medicines in proptest::collection::vec((proptest::option::of(text()), proptest::option::of(-10i64..200)), 1..4),
    ) {
        let mut json = vec![format!("\"insurance\":{}", insurance.map_or("null".into(), |value| value.to_string()))];
        let insured = |value| format!("<insurance>{value}</insurance>");
        let mut xml = vec![insurance.map_or("<insurance xsi:nil='1'/>".into(), insured)];
        if let Some(age) = age {
            json.push(format!("\"age\":{age}"));
            xml.push(format!("<age> {age}\n</age>"));
        }
        let mut items = Vec::new();
        for (medicine, price) in &medicines {
            let price = price.map(|price| (format!("\"price\":{price}"), format!("<price>{price}</price>")));
            let in_json = |text| format!("\"medicine\":{}", quoted(text));
            let in_xml = |text| format!("<medicine>{}</medicine>", escape(text));
            let medicine = medicine.as_ref().map(|text| (in_json(text), in_xml(text)));
            let (members, children): (Vec<_>, Vec<_>) = price.into_iter().chain(medicine).unzip();
            items.push(format!("{{{}}}", members.join(",")));
            xml.push(format!("<items>{}</items>", children.concat()));
        }
        json.push(format!("\"items\":[{}]", items.join(",")));
        prop_assert_eq!(from_json(&json.join(",")), from_xml(&xml.concat()));
    }
}
