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

/// A member of a body.
struct Field {
    name: String,
    /// Its values, where the document says what they are.
    usual: Vec<LooseValue>,
    /// Whether it repeats what the path names, so that it is seldom right.
    is_named: bool,
}

/// Some days; the calendar lacks the last one.
const DAYS: [&str; 5] = ["01/01/1900", "14/03/2026", "15/03/2026", "16/03/2026", "30/02/2026"];

impl Shape {
    /// Returns the body of an operation; a patient's for one without a body.
    pub(super) fn of(operation: Operation, document: &Value) -> Self {
        let (Input::Record([root, ..]) | Input::Optional([root, ..])) = operation.input() else {
            return Self::of(Operation::UpdatePatient, document);
        };
        let method = operation.method().as_str().to_ascii_lowercase();
        let body = &document["paths"][operation.path()][method]["requestBody"]["content"]["application/json"];
        let name = body["schema"]["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
        let schema = &document["components"]["schemas"][name.expect("a body has a name")];
        let named = |name: &str| operation.segments().any(|segment| segment == Segment::Parameter(name));
        let members = schema["properties"].as_object().expect("a body has members").iter();
        let fields =
            members.map(|(name, schema)| Field { name: name.clone(), usual: usual(schema), is_named: named(name) });
        Self { root, fields: fields.collect() }
    }

    /// Returns a body with some of its members, and the name of its root element.
    pub(super) fn draft(&self, dice: &mut Dice) -> (&'static str, LooseValue) {
        (self.root, with(dice, &self.fields))
    }
}

/// Returns values of a schema: its words, its truth values, some days or numbers; none for other texts.
fn usual(schema: &Value) -> Vec<LooseValue> {
    let or_null = schema["anyOf"].as_array().map_or(&[][..], Vec::as_slice).iter();
    let forms = || or_null.clone().chain([schema]);
    let texts = |texts: &[&str]| texts.iter().map(|text| LooseValue::Text((*text).to_owned())).collect();
    if forms().any(|form| form["$ref"] == "#/components/schemas/Date") {
        return texts(&DAYS);
    }
    let tokens = |tokens: [&str; 2]| tokens.map(|token| LooseValue::Token(token.to_owned())).to_vec();
    let is = |name: &str| forms().any(|form| form["type"] == name || form["type"][0] == name);
    if is("boolean") {
        return tokens(["true", "false"]);
    }
    if is("integer") {
        return tokens(["1", "7"]);
    }
    let words = forms().filter_map(|form| form["enum"].as_array()).flatten();
    texts(&words.filter_map(Value::as_str).collect::<Vec<_>>())
}

/// Returns members of which the document says nothing.
fn plain<const N: usize>(names: [&str; N]) -> [Field; N] {
    names.map(|name| Field { name: name.to_owned(), usual: Vec::new(), is_named: false })
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
            _ => 6,
        };
        if dice.roll(20) < odds {
            members.push((field.name.clone(), value(dice, field)));
        }
    }
    if dice.roll(40) == 0 {
        members.push(("nickname".to_owned(), LooseValue::Text("x".to_owned())));
    }
    if dice.roll(40) == 0
        && let Some(member) = dice.pick(members.clone())
    {
        members.push(member);
    }
    LooseValue::Record(members)
}

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
        "medicine" => LooseValue::Text(pick(dice, &MEDICINES, &[" ", "."])),
        "insurance" | "isAvailable" | "isRegular" => LooseValue::Token(pick(dice, &["true", "false"], &["1"])),
        "phone" => LooseValue::Token(pick(dice, &["1", "441632960001", "999999999999999"], &["0"])),
        "age" => LooseValue::Token(pick(dice, &["0", "36", "150"], &["151"])),
        "weight" => LooseValue::Token(pick(dice, &["61.5", "1e2", "0.5", "1000"], &["1000.5", "0"])),
        "price" => LooseValue::Token(pick(dice, &["0", "4", "9007199254740991"], &["-1"])),
        "currency" => LooseValue::Text(pick(dice, &["EUR", "USD", "XXX"], &["eur"])),
        "email" => LooseValue::Text(pick(dice, &["a@b", "ada@example.org"], &["a"])),
        "unit" => LooseValue::Text(pick(dice, &["tablets", "ml"], &[" "])),
        "kind" => LooseValue::Text(pick(dice, &["receipt", "receipt", "return", "removal"], &["dispense"])),
        "lot" => LooseValue::Text(pick(dice, &["A", "B", " a "], &[""])),
        "expires" => LooseValue::Text(pick(dice, &["15/03/2026", "31/12/2026"], &["14/03/2026", "x"])),
        "reason" => LooseValue::Text(pick(dice, &["lost", "expired", "other"], &["count"])),
        "policy" => LooseValue::Text(pick(dice, &["none", "minMax", "cover", "service"], &["best"])),
        "basis" => LooseValue::Text(pick(dice, &["dispensed", "prescribed"], &["sold"])),
        "serviceLevel" => LooseValue::Token(pick(dice, &["80", "95", "99"], &["85"])),
        "held" => LooseValue::Token(pick(dice, &["true", "false", "false"], &["1"])),
        "units" | "counted" => {
            LooseValue::Token(pick(dice, &["1", "3", "5", "20"], &["0", "1000000000", "1000000001"]))
        }
        "quantity" | "supplyUnits" => LooseValue::Token(pick(dice, &["1", "1", "2", "7"], &["0", "100001"])),
        "everyDays" | "minDays" | "leadDays" => LooseValue::Token(pick(dice, &["7", "28"], &["0", "800"])),
        "packUnits" | "keepDays" | "min" | "max" | "ordered" | "onHand" | "cost" => {
            LooseValue::Token(pick(dice, &["1", "4", "9"], &["-1", "1000000001"]))
        }
        "invoiceId" | "prescriptionId" => LooseValue::Token(pick(dice, &["1", "2", "4", "5", "6", "7"], &["0"])),
        "opening" => {
            LooseValue::List((0..dice.roll(3)).map(|_| with(dice, &plain(["lot", "expires", "units"]))).collect())
        }
        "lines" => {
            LooseValue::List((0..dice.roll(3) + 1).map(|_| with(dice, &plain(["lot", "expires", "counted"]))).collect())
        }
        "lots" => LooseValue::List((0..dice.roll(2)).map(|_| with(dice, &plain(["lot", "onHand"]))).collect()),
        "diseases" => LooseValue::List((0..dice.roll(5)).map(|_| LooseValue::Text(text(dice))).collect()),
        "prescriptions" => {
            let fields = plain(["medicine", "isAvailable", "dosage", "isRegular", "price"]);
            LooseValue::List((0..dice.roll(3)).map(|_| with(dice, &fields)).collect())
        }
        _ => match dice.pick(field.usual.clone()) {
            Some(usual) => usual,
            None => LooseValue::Text(text(dice)),
        },
    }
}

fn text(dice: &mut Dice) -> String {
    let texts = ["Ada", "Ben\u{e9}", " x ", "<b>&amp;", "line\r\nend", "\u{1f48a}", "a\tb", "O'Hara \"q\""];
    dice.pick(texts).unwrap_or_default().to_owned()
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
