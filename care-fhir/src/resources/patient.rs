//! `Patient`, and the observations that its record holds.

use care_core::model::{Patient, PatientId};

use crate::{
    parts::{LOINC, OBSERVATION_CATEGORY, absent, because, coded, identifier, measured, subject},
    tree::{Node, Resource, list, object, once, stored, text},
};

const ORIGINAL_TEXT: &str = "http://hl7.org/fhir/StructureDefinition/originalText";

/// Returns the patient. The facility's namespace is that of the identifier.
pub(crate) fn patient(patient: &Patient, namespace: Option<&str>) -> Resource {
    let phone = patient.phone.map(|phone| contact("phone", text(phone.value().to_string())));
    let email = patient.email.as_ref().and_then(|email| Some(contact("email", stored(email.as_str())?)));
    let city = patient.location.as_ref().and_then(|location| stored(location.as_str()));
    let street = patient.address.as_ref().and_then(|address| stored(address.as_str()));
    let has_address = city.is_some() || street.is_some();
    Resource::new(
        "Patient",
        [
            ("identifier", identifier(namespace, "patient", patient.patient_id.value())),
            ("active", Some(Node::Bool(true))),
            (
                "name",
                patient.name.as_ref().and_then(|name| Some(once(object([("text", Some(stored(name.as_str())?))])))),
            ),
            ("telecom", list(phone.into_iter().chain(email))),
            ("gender", patient.gender.as_ref().and_then(|gender| sex(gender.as_str()))),
            // An age has no day of birth.
            ("birthDate", Some(absent("unknown"))),
            ("address", has_address.then(|| once(object([("text", street), ("city", city)])))),
        ],
    )
}

/// Returns the mapping of the observation with this name.
pub(crate) fn observation(what: &str) -> Option<fn(&Patient) -> Option<Resource>> {
    match what {
        "age" => Some(age),
        "weight" => Some(weight),
        _ => None,
    }
}

/// Returns the weight of a patient; `None` if the record has none.
pub(crate) fn weight(patient: &Patient) -> Option<Resource> {
    let kilograms = patient.weight?.kilograms().to_string();
    let category = coded(OBSERVATION_CATEGORY, "vital-signs", Some("Vital Signs"), None);
    let code = coded(LOINC, "29463-7", Some("Body weight"), Some("Body weight"));
    Some(measurement(patient.patient_id, Some(once(category)), code, measured(kilograms, "kg", "kg")))
}

/// Returns the age of a patient; `None` if the record has none.
pub(crate) fn age(patient: &Patient) -> Option<Resource> {
    let years = patient.age?.value().to_string();
    let code = coded(LOINC, "30525-0", Some("Age"), Some("Age"));
    Some(measurement(patient.patient_id, None, code, measured(years, "years", "a")))
}

fn measurement(patient: PatientId, category: Option<Node>, code: Node, value: Node) -> Resource {
    Resource::new(
        "Observation",
        [
            ("status", Some(text("final"))),
            ("category", category),
            ("code", Some(code)),
            ("subject", Some(subject(patient))),
            // The record does not say when it was measured.
            ("effectiveDateTime", Some(absent("unknown"))),
            ("valueQuantity", Some(value)),
        ],
    )
}

/// Returns the gender if it is a word of R4, and otherwise its text beside the reason why there is no code: letters
/// mean different words in different languages.
fn sex(gender: &str) -> Option<Node> {
    let words = ["male", "female", "other", "unknown"];
    if let Some(word) = words.into_iter().find(|word| gender.eq_ignore_ascii_case(word)) {
        return Some(text(word));
    }
    let original = object([("url", Some(text(ORIGINAL_TEXT))), ("valueString", Some(stored(gender)?))]);
    Some(Node::Extended(vec![because("as-text"), original]))
}

fn contact(system: &'static str, value: Node) -> Node {
    object([("system", Some(text(system))), ("value", Some(value))])
}
