//! `Patient`, and the observations that its record holds.

use care_core::model::{Patient, PatientId};

use crate::{
    parts::{Coding, LOINC, OBSERVATION_CATEGORY, because, identifier, measured, subject, unknown},
    writer::{Writer, is_blank},
};

const ORIGINAL_TEXT: &str = "http://hl7.org/fhir/StructureDefinition/originalText";
const VITAL_SIGNS: Coding = Coding { system: OBSERVATION_CATEGORY, code: "vital-signs", display: "Vital Signs" };
const BODY_WEIGHT: Coding = Coding { system: LOINC, code: "29463-7", display: "Body weight" };
const AGE: Coding = Coding { system: LOINC, code: "30525-0", display: "Age" };

/// Writes the patient. The facility's namespace is that of the identifier.
pub(crate) fn patient(out: &mut Writer, patient: &Patient, namespace: Option<&str>) {
    identifier(out, namespace, "patient", patient.patient_id.value());
    out.truth("active", true);
    out.list("name", |names| names.object(|name| name.stored("text", patient.name.as_ref())));
    out.list("telecom", |all| {
        if let Some(phone) = patient.phone {
            all.object(|contact| {
                contact.text("system", "phone");
                contact.text("value", &phone.value().to_string());
            });
        }
        if let Some(email) = &patient.email {
            all.object(|contact| {
                contact.text("system", "email");
                contact.stored("value", Some(email));
            });
        }
    });
    if let Some(gender) = &patient.gender {
        sex(out, gender.as_str());
    }
    // An age has no day of birth.
    unknown(out, "birthDate");
    out.list("address", |all| {
        all.object(|address| {
            address.stored("text", patient.address.as_ref());
            address.stored("city", patient.location.as_ref());
        });
    });
}

/// Returns the mapping of the observation with this name.
pub(crate) fn observation(what: &str) -> Option<fn(&mut Writer, &Patient)> {
    match what {
        "age" => Some(age),
        "weight" => Some(weight),
        _ => None,
    }
}

/// Writes the weight of a patient, if the record has one.
pub(crate) fn weight(out: &mut Writer, patient: &Patient) {
    let Some(weight) = patient.weight else { return };
    let value = |out: &mut Writer| measured(out, "valueQuantity", &weight.kilograms().to_string(), "kg", "kg");
    measurement(out, patient.patient_id, (Some(VITAL_SIGNS), BODY_WEIGHT), value);
}

/// Writes the age of a patient, if the record has one.
pub(crate) fn age(out: &mut Writer, patient: &Patient) {
    let Some(age) = patient.age else { return };
    let value = |out: &mut Writer| measured(out, "valueQuantity", &age.value().to_string(), "years", "a");
    measurement(out, patient.patient_id, (None, AGE), value);
}

fn measurement(
    out: &mut Writer,
    patient: PatientId,
    (category, code): (Option<Coding>, Coding),
    value: impl FnOnce(&mut Writer),
) {
    out.text("status", "final");
    out.list("category", |all| {
        if let Some(category) = category {
            all.object(|concept| category.write_concept(concept));
        }
    });
    out.object("code", |concept| {
        code.write_concept(concept);
        concept.text("text", code.display);
    });
    subject(out, patient);
    // The record does not say when it was measured.
    unknown(out, "effectiveDateTime");
    value(out);
}

/// Writes the gender if it is a word of R4, and otherwise its text beside the reason why there is no code: letters
/// mean different words in different languages.
fn sex(out: &mut Writer, gender: &str) {
    let words = ["male", "female", "other", "unknown"];
    match words.into_iter().find(|word| gender.eq_ignore_ascii_case(word)) {
        Some(word) => out.text("gender", word),
        None if is_blank(gender) => {}
        None => out.without_value("gender", |extensions| {
            because(extensions, "as-text");
            extensions.extension(ORIGINAL_TEXT, |extension| extension.stored("valueString", Some(gender)));
        }),
    }
}
