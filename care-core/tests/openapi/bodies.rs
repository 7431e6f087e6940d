//! Bodies in which only some members are wrong.

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Map, Value, json};

use crate::description::resolve;

/// Returns a strategy for records in which only some members are wrong.
pub(crate) fn any_record(schema: &'static Value, depth: u32) -> BoxedStrategy<Value> {
    let schema = resolve(schema);
    let properties = schema["properties"].as_object().unwrap().iter();
    let members: Vec<_> = properties
        .map(|(name, property)| {
            let usual = usual(property, depth);
            let value = match name.as_str() {
                // Only the whole body names the patient.
                "patientId" if depth > 0 => Just(None).boxed(),
                _ => prop_oneof![
                    6 => usual.prop_map(Some),
                    2 => Just(None),
                    1 => near(property).prop_map(Some),
                    1 => any_value().prop_map(Some),
                ]
                .boxed(),
            };
            (Just(name.clone()), value)
        })
        .collect();
    let unknown = option::weighted(0.02, Just(json!(1)));
    (members, unknown)
        .prop_map(|(members, unknown)| {
            let members = members.into_iter().chain([("unknown".to_owned(), unknown)]);
            let members = members.filter_map(|(name, value)| Some((name, value?)));
            Value::Object(members.collect::<Map<_, _>>())
        })
        .boxed()
}

/// Returns a valid value of a member.
fn usual(property: &'static Value, depth: u32) -> BoxedStrategy<Value> {
    let Some(items) = property.get("items") else {
        let example = property.get("examples").map_or(json!(true), |examples| examples[0].clone());
        return Just(example).boxed();
    };
    match items.get("$ref") {
        Some(_) => vec(any_record(items, depth + 1), 0..3).prop_map(Value::from).boxed(),
        None => {
            prop_oneof![9 => vec(Just("migraine"), 0..4), 1 => vec(Just("cold"), 29..32)].prop_map(Value::from).boxed()
        }
    }
}

/// Returns a strategy for values of the member's type, at and beyond the ends of its range.
fn near(property: &Value) -> BoxedStrategy<Value> {
    let kind = property["type"].as_str().or(property["type"][0].as_str());
    match kind {
        Some("integer") => select(INTEGERS).prop_map(Value::from).boxed(),
        Some("number") => numbers().boxed(),
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        Some("array") => vec(texts(), 0..3).prop_map(Value::from).boxed(),
        // A day or a currency refers to a named schema.
        _ => texts().boxed(),
    }
}

/// Returns a strategy for values of all types.
fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), numbers(), texts()];
    prop_oneof![
        6 => scalar.clone(),
        1 => vec(scalar.clone(), 0..3).prop_map(Value::from),
        1 => scalar.prop_map(|value| json!({ "a": value })),
    ]
}

fn numbers() -> impl Strategy<Value = Value> + Clone {
    prop_oneof![select(INTEGERS).prop_map(Value::from), Just(json!(1_u64 << 63)), select(REALS).prop_map(Value::from),]
}

fn texts() -> impl Strategy<Value = Value> + Clone {
    prop_oneof![
        3 => select(TEXTS).prop_map(Value::from),
        2 => (select(&["x", "é", "\u{10ffff}"][..]), select(LENGTHS))
            .prop_map(|(c, length): (&str, _)| c.repeat(length).into()),
        1 => "[a-z@/0-9 .]{0,12}".prop_map(Value::from),
        1 => "\\PC{0,12}".prop_map(Value::from),
    ]
}

const INTEGERS: &[i64] = &[
    i64::MIN,
    -1,
    0,
    1,
    149,
    150,
    151,
    1000,
    1001,
    999_999_999_999_999,
    1_000_000_000_000_000,
    9_007_199_254_740_991,
    9_007_199_254_740_992,
    i64::MAX,
];
const TEXTS: &[&str] = &[
    "",
    " ",
    "\u{3000}\t",
    "\u{feff}",
    "a",
    ".",
    " ..\n",
    "a@b",
    "a@b@c",
    "@b",
    "a b@c",
    "29/02/2024",
    "29/02/2023",
    "31/04/2024",
    "1/2/2024",
    "EUR",
    "eur",
    "BGN",
    "a\u{7f}b",
    "a\u{ffff}",
    "7",
    "true",
];
const LENGTHS: &[usize] = &[127, 128, 129, 254, 255, 256, 257, 1024, 1025];
const REALS: &[f64] = &[0.5, 0.1, -0.5, 7.0, 999.999, 1000.0, 1000.5, 1e308, 5e-324];
