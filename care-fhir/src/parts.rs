//! Elements that several resources have.

use std::borrow::Cow;

use care_core::model::{Date, PatientId};

use crate::tree::{Node, object, once, text};

pub(crate) const DATA_ABSENT_REASON: &str = "http://hl7.org/fhir/StructureDefinition/data-absent-reason";
pub(crate) const UCUM: &str = "http://unitsofmeasure.org";
pub(crate) const LOINC: &str = "http://loinc.org";
pub(crate) const OBSERVATION_CATEGORY: &str = "http://terminology.hl7.org/CodeSystem/observation-category";

/// Returns a primitive whose value is absent for this reason.
pub(crate) fn absent(reason: &'static str) -> Node {
    Node::Extended(vec![because(reason)])
}

pub(crate) fn because(reason: &'static str) -> Node {
    object([("url", Some(text(DATA_ABSENT_REASON))), ("valueCode", Some(text(reason)))])
}

pub(crate) fn reference(to: impl Into<Cow<'static, str>>) -> Node {
    object([("reference", Some(text(to)))])
}

pub(crate) fn subject(patient: PatientId) -> Node {
    reference(format!("Patient/{patient}"))
}

/// Returns a concept that is only a text; `None` for a blank one.
pub(crate) fn concept(words: Option<Node>) -> Option<Node> {
    Some(object([("text", Some(words?))]))
}

pub(crate) fn coding(system: &'static str, code: &'static str, display: Option<&'static str>) -> Node {
    object([("system", Some(text(system))), ("code", Some(text(code))), ("display", display.map(text))])
}

/// Returns a concept of one code.
pub(crate) fn coded(
    system: &'static str,
    code: &'static str,
    display: Option<&'static str>,
    words: Option<&'static str>,
) -> Node {
    object([("coding", Some(once(coding(system, code, display)))), ("text", words.map(text))])
}

/// Returns a number of units of UCUM.
pub(crate) fn measured(value: String, unit: &'static str, code: &'static str) -> Node {
    object([
        ("value", Some(Node::Number(value))),
        ("unit", Some(text(unit))),
        ("system", Some(text(UCUM))),
        ("code", Some(text(code))),
    ])
}

/// Returns an identifier in the facility's own namespace; `None` without one.
pub(crate) fn identifier(namespace: Option<&str>, kind: &str, number: i64) -> Option<Node> {
    let system = format!("{}/{kind}", namespace?);
    Some(once(object([
        ("use", Some(text("usual"))),
        ("system", Some(text(system))),
        ("value", Some(text(number.to_string()))),
    ])))
}

pub(crate) fn day(date: Date) -> Node {
    text(format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day()))
}
