//! Request bodies before they are written as JSON or XML.

use std::fmt::Write as _;

use care_core::model::{Patient, PatientDetails};

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

/// Returns a record for the operation on this path, and the name of its root element.
pub(super) fn record(dice: &mut Dice, path: &str) -> (&'static str, LooseValue) {
    let (root, fields): (_, &[&str]) = match (path.split('/').nth(1), path.split('/').nth(3)) {
        (Some("inventory"), Some("stock")) => ("Stock", STOCK),
        (Some("inventory"), Some("movements")) => ("Movement", MOVEMENT),
        (Some("inventory"), Some("count")) => ("Count", &["lines", "note"]),
        (Some("prescriptions"), Some("supply")) => ("Supply", &["prescriptionId", "quantity", "everyDays"]),
        (Some("prescriptions"), None) if dice.one_in(2) => (
            "Prescription",
            &["patientId", "medicine", "dosage", "isRegular", "price", "currency", "quantity", "everyDays"],
        ),
        (Some("prescriptions"), _) => {
            ("Prescription", &["patientId", "medicine", "isAvailable", "dosage", "isRegular", "price", "currency"])
        }
        (Some("inventory"), _) => ("Inventory", &["isAvailable", "dosage", "isRegular", "price", "currency"]),
        (Some("invoice"), Some("payment")) => ("Payment", &["method"]),
        (Some("invoice"), Some("refund")) => ("Refund", &["reason", "note", "method", "restock", "reopen"]),
        (Some("receipts"), _) => ("Correction", &["method", "note"]),
        (Some("consultations"), _) => ("Consultation", &["patientId", "date", "diseases", "prescriptions"]),
        _ => ("Patient", Patient::FIELDS),
    };
    (root, with(dice, fields))
}

const STOCK: &[&str] = &[
    "unit",
    "medicine",
    "packUnits",
    "supplyUnits",
    "keepDays",
    "held",
    "ordered",
    "policy",
    "min",
    "max",
    "minDays",
    "leadDays",
    "serviceLevel",
    "basis",
    "opening",
    "onHand",
    "lots",
];
const MOVEMENT: &[&str] = &["kind", "units", "lot", "expires", "reason", "invoiceId", "cost", "currency", "note"];

/// Returns a record with some of these fields. The identifying ones are nearly always among them.
fn with(dice: &mut Dice, fields: &[&str]) -> LooseValue {
    let mut members = Vec::new();
    for field in fields {
        let odds = match *field {
            "patientId" if fields.contains(&"weight") => 14,
            "patientId" | "unit" | "kind" | "units" | "counted" | "lines" => 19,
            "medicine" if fields.len() < STOCK.len() => 19,
            "medicine" | "packUnits" | "keepDays" | "policy" | "min" | "max" | "onHand" | "lots" | "cost" => 2,
            _ => 6,
        };
        if dice.roll(20) < odds {
            members.push(((*field).to_owned(), value(dice, field)));
        }
    }
    if dice.roll(40) == 0 {
        members.push(("nickname".to_owned(), value(dice, "name")));
    }
    if dice.roll(40) == 0
        && let Some(member) = dice.pick(members.clone())
    {
        members.push(member);
    }
    LooseValue::Record(members)
}

fn value(dice: &mut Dice, field: &str) -> LooseValue {
    if dice.roll(40) == 0 {
        return odd(dice);
    }
    // Mostly the values before the bar, which are valid; the others are not.
    let pick = |dice: &mut Dice, right: &[&str], wrong: &[&str]| match dice.roll(12) {
        0 if !wrong.is_empty() => wrong[dice.roll(wrong.len() as u64) as usize].to_owned(),
        _ => right[dice.roll(right.len() as u64) as usize].to_owned(),
    };
    let dates = ["01/01/1900", "14/03/2026", "15/03/2026", "16/03/2026"];
    match field {
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
        field if field == "date" || is_day(field) => {
            LooseValue::Text(pick(dice, &dates, &["30/02/2026", "17/03/2027"]))
        }
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
        "opening" => LooseValue::List((0..dice.roll(3)).map(|_| with(dice, &["lot", "expires", "units"])).collect()),
        "lines" => {
            LooseValue::List((0..dice.roll(3) + 1).map(|_| with(dice, &["lot", "expires", "counted"])).collect())
        }
        "lots" => LooseValue::List((0..dice.roll(2)).map(|_| with(dice, &["lot", "onHand"])).collect()),
        "diseases" => LooseValue::List((0..dice.roll(5)).map(|_| value(dice, "disease")).collect()),
        "prescriptions" => {
            let fields = ["medicine", "isAvailable", "dosage", "isRegular", "price"];
            LooseValue::List((0..dice.roll(3)).map(|_| with(dice, &fields)).collect())
        }
        _ => LooseValue::Text(pick(
            dice,
            &["Ada", "Ben\u{e9}", " x ", "<b>&amp;", "line\r\nend", "\u{1f48a}", "a\tb", "O'Hara \"q\""],
            &[],
        )),
    }
}

/// Returns whether the field of a patient is a day.
fn is_day(field: &str) -> bool {
    let day = serde_json::json!({ field: "15/03/2026" });
    Patient::FIELDS.contains(&field)
        && serde_json::from_value::<PatientDetails>(day).is_ok()
        && serde_json::from_value::<PatientDetails>(serde_json::json!({ field: "no day" })).is_err()
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
