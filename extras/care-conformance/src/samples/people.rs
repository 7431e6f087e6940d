//! Patients and their histories.

use care_core::model::{FindText, History, Patient, ShortText};

use serde_json::json;

use super::{
    extremes::{Least, Most},
    values::{date, legal, medicine, patient_id},
};

/// Returns the words of a text to find patients by.
pub fn find_text(text: &str) -> FindText {
    FindText::new(text).expect("a legal text")
}

/// An ordinary patient with every field of the interface document.
const USUAL: &str = r#"{"name":"Ada Example","phone":441632960001,"insurance":true,"patientId":7,"age":36,
    "address":"1 Sample Street","gender":"female","weight":61.5,"email":"ada@example.org","location":"Sampleton",
    "lastvisit":"31/01/2026"}"#;

/// Returns an ordinary patient with every field of the interface document.
pub fn patient(number: i64) -> Patient {
    let usual: Patient = serde_json::from_str(USUAL).expect("a patient");
    Patient { patient_id: patient_id(number), ..usual }
}

/// Returns a patient without optional fields, an ordinary one, and two with every field at its upper or lower limit.
pub fn patient_forms(number: i64) -> Vec<Patient> {
    let patient_id = patient_id(number);
    let most = Patient { patient_id, ..Patient::filled(&mut Most) };
    let least = Patient { patient_id, ..Patient::filled(&mut Least) };
    vec![Patient::new(patient_id), patient(number), most, least]
}

/// Returns patients with one field each: every field of one with each field at its upper limit.
pub fn patients_with_one_field(number: i64) -> Vec<Patient> {
    let full = serde_json::to_value(Patient::filled(&mut Most)).expect("a document");
    let alone = |field: &&str| json!({ "patientId": number, *field: full[*field] });
    let others = Patient::FIELDS.iter().filter(|field| **field != "patientId").map(alone);
    others.map(|patient| serde_json::from_value(patient).expect("a patient")).collect()
}

/// Returns a history without a visit, an ordinary one, and one with the largest counts.
pub fn history_forms(patient: i64) -> Vec<History> {
    let nothing = History::new(patient_id(patient));
    let mut usual = History {
        medicine: Some(medicine("Ibuprofen 400")),
        dosage: Some(legal(ShortText::new("1-0-1"))),
        diseases: 6,
        ..nothing.clone()
    };
    usual.count_visit(date("30/01/2026"));
    usual.count_visit(date("31/01/2026"));
    let most = History { patient_id: nothing.patient_id, ..History::filled(&mut Most) };
    vec![nothing, usual, most]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_patient_has_every_field_of_the_interface_document() {
        let usual = serde_json::to_value(patient(7)).unwrap();
        let documented = |field: &&&str| !Patient::EXTENSIONS.contains(*field);
        assert!(Patient::FIELDS.iter().filter(documented).all(|field| usual.get(field).is_some()), "{usual}");
    }
}
