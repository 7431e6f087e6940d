//! `Encounter`, `Condition` and `MedicationRequest`.

use care_core::model::{Consultation, ConsultationState, Date, Diagnosis, Disease, Prescription, PrescriptionState};

use crate::{
    parts::{coded, coding, concept, day, measured, reference, subject},
    tree::{Resource, list, number, object, once, stored, text},
};

const ACT_CODE: &str = "http://terminology.hl7.org/CodeSystem/v3-ActCode";
const CONDITION_CATEGORY: &str = "http://terminology.hl7.org/CodeSystem/condition-category";
const COURSE_OF_THERAPY: &str = "http://terminology.hl7.org/CodeSystem/medicationrequest-course-of-therapy";

/// Returns the consultation, with a reference to the condition of each of its diseases.
pub(crate) fn encounter(consultation: &Consultation, diagnosis: Option<&Diagnosis>) -> Resource {
    let is_over = consultation.state == ConsultationState::Completed;
    let diseases = 1..=diagnosis.map_or(0, |diagnosis| diagnosis.diseases.len());
    let id = consultation.consultation_id;
    let conditions = diseases.map(|nth| object([("condition", Some(reference(format!("Condition/{id}-{nth}"))))]));
    let period = object([("start", Some(day(consultation.date))), ("end", is_over.then(|| day(consultation.date)))]);
    Resource::new(
        "Encounter",
        [
            ("status", Some(text(if is_over { "finished" } else { "in-progress" }))),
            ("class", Some(coding(ACT_CODE, "AMB", Some("ambulatory")))),
            ("subject", Some(subject(consultation.patient_id))),
            ("period", Some(period)),
            ("diagnosis", list(conditions)),
        ],
    )
}

/// Returns one disease of a diagnosis, recorded on this day. No one has said whether it is active or confirmed.
pub(crate) fn condition(diagnosis: &Diagnosis, disease: &Disease, recorded: Date) -> Resource {
    let category = coded(CONDITION_CATEGORY, "encounter-diagnosis", Some("Encounter Diagnosis"), None);
    Resource::new(
        "Condition",
        [
            ("category", Some(once(category))),
            ("code", concept(stored(disease.as_str()))),
            ("subject", Some(subject(diagnosis.patient_id))),
            ("encounter", Some(reference(format!("Encounter/{}", diagnosis.consultation_id)))),
            ("recordedDate", Some(day(recorded))),
        ],
    )
}

/// Returns the prescription. Its medicine is a text and not a reference, so that it does not depend on the inventory.
pub(crate) fn medication_request(prescription: &Prescription) -> Resource {
    let is_active = prescription.state == PrescriptionState::Active;
    let dosage = prescription.dosage.as_ref().and_then(|dosage| stored(dosage.as_str()));
    let course = prescription
        .is_regular()
        .then(|| coded(COURSE_OF_THERAPY, "continuous", Some("Continuous long term therapy"), None));
    let days = prescription.every_days.filter(|_| prescription.is_regular());
    let interval = days.map(|days| measured(days.value().to_string(), "days", "d"));
    let quantity = prescription.quantity.map(|quantity| object([("value", Some(number(quantity.value())))]));
    let is_dispensed = interval.is_some() || quantity.is_some();
    Resource::new(
        "MedicationRequest",
        [
            ("status", Some(text(if is_active { "active" } else { "completed" }))),
            ("intent", Some(text("order"))),
            ("medicationCodeableConcept", concept(stored(prescription.medicine.as_str()))),
            ("subject", Some(subject(prescription.patient_id))),
            ("encounter", Some(reference(format!("Encounter/{}", prescription.consultation_id)))),
            ("authoredOn", Some(day(prescription.prescribed))),
            ("courseOfTherapyType", course),
            ("dosageInstruction", dosage.map(|dosage| once(object([("text", Some(dosage))])))),
            ("dispenseRequest", is_dispensed.then(|| object([("dispenseInterval", interval), ("quantity", quantity)]))),
        ],
    )
}
