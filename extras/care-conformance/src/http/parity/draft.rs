//! Request bodies before they are written as JSON or XML.

use std::fmt::Write as _;

use care_core::operation::{Input, Operation, Segment};
use serde_json::Value;

use crate::dice::Dice;

/// The medicines of the world, some in several spellings.
pub(super) const MEDICINES: [&str; 8] =
    ["Ibuprofen 400", "IBUPROFEN  400", "Metformin", "Paracetamol", "Aspirin", "aspirin", "Stra\u{df}e", "a/b?c%d"];

/// A value that may be right or wrong.
#[derive(Debug, Clone)]
pub(super) enum LooseValue {
    Null,
    Text(String),
    /// A literal: a number, a boolean, or a text that resembles one.
    Token(String),
    List(Vec<Self>),
    Record(Vec<(String, Self)>),
}

impl LooseValue {
    pub(super) fn json(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            Self::Token(token) => token.clone(),
            Self::List(elements) => {
                let elements: Vec<_> = elements.iter().map(Self::json).collect();
                format!("[{}]", elements.join(","))
            }
            Self::Record(members) => {
                let members = members.iter().map(|(name, value)| format!("\"{name}\":{}", value.json()));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }
        }
    }

    pub(super) fn xml(&self, name: &str) -> String {
        let content = match self {
            Self::Null => {
                let instance = "http://www.w3.org/2001/XMLSchema-instance";
                return format!("<{name} xmlns:xsi=\"{instance}\" xsi:nil=\"true\"/>");
            }
            Self::List(elements) => {
                return elements.iter().map(|element| element.xml(name)).collect();
            }
            Self::Text(text) | Self::Token(text) => escaped(text),
            Self::Record(members) => members.iter().map(|(name, value)| value.xml(name)).collect(),
        };
        format!("<{name}>{content}</{name}>")
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '<' | '>' | '&' | '\r' => {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// The body of an operation, as the OpenAPI document describes it.
pub(super) struct Shape {
    /// The name of the root element.
    root: &'static str,
    fields: Vec<Field>,
}

/// A member of a record.
struct Field {
    name: String,
    values: Values,
    /// Whether the path or the record around it names it too, so that it is seldom right.
    is_named: bool,
}

/// The values of a member, as far as the document says what they are.
enum Values {
    /// Mostly one of the first, which are valid, and sometimes one of the others.
    Some(Vec<LooseValue>, Vec<LooseValue>),
    /// Any text.
    Texts,
    /// Such values, and the least number of them.
    List(u64, Box<Self>),
    Record(Vec<Field>),
}

/// The schemas of the document, by name.
struct Schemas<'a>(&'a Value);

impl Shape {
    /// Returns the body of an operation; a patient's for one without a body.
    pub(super) fn of(operation: Operation, document: &Value) -> Self {
        let (Input::Record([root, ..]) | Input::Optional([root, ..])) = operation.input() else {
            return Self::of(Operation::UpdatePatient, document);
        };
        let method = operation.method().as_str().to_ascii_lowercase();
        let body = &document["paths"][operation.path()][method]["requestBody"]["content"]["application/json"];
        let in_path: Vec<_> = operation
            .segments()
            .filter_map(|segment| match segment {
                Segment::Parameter(name) => Some(name),
                Segment::Literal(_) => None,
            })
            .collect();
        match Schemas(&document["components"]["schemas"]).values(&body["schema"], &in_path) {
            Values::Record(fields) => Self { root, fields },
            Values::Some(..) | Values::Texts | Values::List(..) => panic!("{operation:?} takes no record"),
        }
    }

    /// Returns a body with some of its members, and the name of its root element.
    pub(super) fn draft(&self, dice: &mut Dice) -> (&'static str, LooseValue) {
        (self.root, with(dice, &self.fields))
    }
}

impl Schemas<'_> {
    /// Returns the values of a schema, inside of what names these members.
    fn values(&self, schema: &Value, named: &[&str]) -> Values {
        // An optional member that refers to a schema is any of that and `null`.
        let schema = schema["anyOf"]
            .as_array()
            .and_then(|forms| forms.first())
            .map_or(schema, |form| if form["type"] == "null" { schema } else { form });
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap_or_default();
            return match name {
                "Date" => Values::Some(
                    texts(&["01/01/1900", "14/03/2026", "15/03/2026", "16/03/2026"]),
                    texts(&["30/02/2026", "17/03/2027"]),
                ),
                name => self.values(&self.0[name], named),
            };
        }
        if let Some(words) = schema["enum"].as_array() {
            let words = words.iter().filter(|word| !word.is_null()).map(|word| match word.as_str() {
                Some(word) => LooseValue::Text(word.to_owned()),
                None => LooseValue::Token(word.to_string()),
            });
            return Values::Some(words.collect(), texts(&["dispense", "85"]));
        }
        let is = |name: &str| schema["type"] == name || schema["type"][0] == name;
        if is("boolean") {
            return Values::Some(tokens(["true", "false"]), tokens(["1"]));
        }
        if is("integer") {
            let least = schema["minimum"].as_i64().unwrap_or(0);
            let most = schema["maximum"].as_i64().unwrap_or(i64::MAX);
            let usual = schema["examples"][0].as_i64().unwrap_or(least);
            return Values::Some(tokens([least, usual]), tokens([least - 1, most, most.saturating_add(1)]));
        }
        if is("array") {
            let least = schema["minItems"].as_u64().unwrap_or(0);
            return Values::List(least, Box::new(self.values(&schema["items"], named)));
        }
        match schema["properties"].as_object() {
            Some(members) => {
                let names: Vec<_> = members.keys().map(String::as_str).collect();
                let fields = members.iter().map(|(name, schema)| Field {
                    name: name.clone(),
                    values: self.values(schema, &names),
                    is_named: named.contains(&name.as_str()),
                });
                Values::Record(fields.collect())
            }
            None => Values::Texts,
        }
    }
}

impl Values {
    fn draw(&self, dice: &mut Dice) -> LooseValue {
        match self {
            Self::Some(right, wrong) => {
                let values = if dice.roll(16) == 0 { wrong } else { right };
                dice.pick(values.clone()).unwrap_or(LooseValue::Null)
            }
            Self::Texts => {
                let texts = ["Ada", "Ben\u{e9}", " x ", "<b>&amp;", "line\r\nend", "\u{1f48a}", "a\tb", "O'Hara \"q\""];
                LooseValue::Text(dice.pick(texts).unwrap_or_default().to_owned())
            }
            Self::List(least, element) => {
                LooseValue::List((0..dice.roll(3) + least).map(|_| element.draw(dice)).collect())
            }
            Self::Record(fields) => with(dice, fields),
        }
    }
}

fn texts(texts: &[&str]) -> Vec<LooseValue> {
    texts.iter().map(|text| LooseValue::Text((*text).to_owned())).collect()
}

fn tokens<const N: usize>(tokens: [impl ToString; N]) -> Vec<LooseValue> {
    tokens.iter().map(|token| LooseValue::Token(token.to_string())).collect()
}

/// Returns a record with some of these fields. The identifying ones are nearly always among them.
fn with(dice: &mut Dice, fields: &[Field]) -> LooseValue {
    let mut members = Vec::new();
    for field in fields {
        let odds = match field.name.as_str() {
            _ if field.is_named => 2,
            "patientId" if fields.iter().any(|other| other.name == "weight") => 14,
            "patientId" | "medicine" | "unit" | "kind" | "units" | "counted" | "lines" => 19,
            "packUnits" | "keepDays" | "policy" | "min" | "max" | "cost" => 2,
            "onHand" | "expired" | "usable" | "reserved" | "available" | "lots" => 2,
            _ => 4,
        };
        if dice.roll(20) < odds {
            members.push((field.name.clone(), value(dice, field)));
        }
    }
    if dice.roll(40) == 0 {
        members.push(("nickname".to_owned(), Values::Texts.draw(dice)));
    }
    if dice.roll(40) == 0
        && let Some(member) = dice.pick(members.clone())
    {
        members.push(member);
    }
    LooseValue::Record(members)
}

/// Returns a value of the field: of the world where it has its own, and else as the document says.
fn value(dice: &mut Dice, field: &Field) -> LooseValue {
    if dice.roll(40) == 0 {
        return odd(dice);
    }
    // Mostly the values before the bar, which are valid; the others are not.
    let pick = |dice: &mut Dice, right: &[&str], wrong: &[&str]| match dice.roll(12) {
        0 if !wrong.is_empty() => wrong[dice.roll(wrong.len() as u64) as usize].to_owned(),
        _ => right[dice.roll(right.len() as u64) as usize].to_owned(),
    };
    match field.name.as_str() {
        "patientId" => {
            LooseValue::Token(pick(dice, &["1", "1", "2", "2", "3", "5", "6", "7", "8", "9"], &["4", "99", "0"]))
        }
        "invoiceId" | "prescriptionId" => LooseValue::Token(pick(dice, &["1", "2", "4", "5", "6", "7"], &["0"])),
        "medicine" => LooseValue::Text(pick(dice, &MEDICINES, &[" ", "."])),
        "weight" => LooseValue::Token(pick(dice, &["61.5", "1e2", "0.5", "1000"], &["1000.5", "0"])),
        "currency" => LooseValue::Text(pick(dice, &["EUR", "USD", "XXX"], &["eur"])),
        "email" => LooseValue::Text(pick(dice, &["a@b", "ada@example.org"], &["a"])),
        "unit" => LooseValue::Text(pick(dice, &["tablets", "ml"], &[" "])),
        "lot" => LooseValue::Text(pick(dice, &["A", "B", " a "], &[""])),
        "expires" => LooseValue::Text(pick(dice, &["15/03/2026", "31/12/2026"], &["14/03/2026", "x"])),
        "units" | "counted" => {
            LooseValue::Token(pick(dice, &["1", "3", "5", "20"], &["0", "1000000000", "1000000001"]))
        }
        "quantity" | "supplyUnits" => LooseValue::Token(pick(dice, &["1", "1", "2", "7"], &["0", "100001"])),
        _ => field.values.draw(dice),
    }
}

/// Returns a value that hardly any field accepts.
fn odd(dice: &mut Dice) -> LooseValue {
    let tokens =
        ["1.0", "-0", "01", "+1", "1e400", "9223372036854775808", "NaN", "[]", "{}", "true", "\"1\"", "0x1", "-1"];
    let texts = ["", " ", "\u{1}", "\u{85}", "\u{fffe}", "\u{7f}", "..", "1", "true", "null"];
    match dice.roll(5) {
        0 => LooseValue::Null,
        1 | 2 => LooseValue::Token(tokens[dice.roll(13) as usize].to_owned()),
        3 => LooseValue::Text(texts[dice.roll(10) as usize].to_owned()),
        _ => LooseValue::Text("x".repeat(dice.roll(1100) as usize)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use care_core::{MemoryStore, rest::Api, service::CareService};

    #[test]
    fn every_member_of_every_body_is_drawn() {
        let document = Api::new(CareService::new(MemoryStore::new())).openapi();
        let document: Value = serde_json::from_str(&document).unwrap();
        for operation in Operation::all() {
            let shape = Shape::of(operation, &document);
            let mut dice = Dice::new(7);
            let drawn: BTreeSet<_> = (0..400)
                .filter_map(|_| match shape.draft(&mut dice) {
                    (_, LooseValue::Record(members)) => Some(members),
                    _ => None,
                })
                .flatten()
                .map(|(name, _)| name)
                .collect();
            let left: Vec<_> = shape.fields.iter().filter(|field| !drawn.contains(&field.name)).collect();
            assert!(left.is_empty() && !shape.fields.is_empty(), "{}: {} left", operation.id(), left.len());
        }
        let refund = Shape::of(Operation::RefundInvoice, &document);
        let refund: BTreeSet<_> = refund.fields.iter().map(|field| &*field.name).collect();
        assert_eq!(refund, BTreeSet::from(["reason", "note", "method", "restock", "reopen"]));
    }
}
