//! `Encounter`, `Condition` and `MedicationRequest`.

use care_core::model::{Consultation, ConsultationState, Date, Diagnosis, Disease, Prescription, PrescriptionState};

use crate::{
    parts::{Coding, concept, day, measured, reference, subject},
    writer::Writer,
};

const AMBULATORY: Coding =
    Coding { system: "http://terminology.hl7.org/CodeSystem/v3-ActCode", code: "AMB", display: "ambulatory" };
const ENCOUNTER_DIAGNOSIS: Coding = Coding {
    system: "http://terminology.hl7.org/CodeSystem/condition-category",
    code: "encounter-diagnosis",
    display: "Encounter Diagnosis",
};
const CONTINUOUS: Coding = Coding {
    system: "http://terminology.hl7.org/CodeSystem/medicationrequest-course-of-therapy",
    code: "continuous",
    display: "Continuous long term therapy",
};

/// Writes the consultation, with a reference to the condition of each of its diseases.
pub(crate) fn encounter(out: &mut Writer, consultation: &Consultation, diagnosis: Option<&Diagnosis>) {
    let is_over = consultation.state == ConsultationState::Completed;
    let id = consultation.consultation_id;
    out.text("status", if is_over { "finished" } else { "in-progress" });
    out.object("class", |class| AMBULATORY.write(class));
    subject(out, consultation.patient_id);
    out.object("period", |period| {
        day(period, "start", consultation.date);
        if is_over {
            day(period, "end", consultation.date);
        }
    });
    out.list("diagnosis", |all| {
        for nth in 1..=diagnosis.map_or(0, |diagnosis| diagnosis.diseases.len()) {
            all.object(|one| reference(one, "condition", "Condition", format_args!("{id}-{nth}")));
        }
    });
}

/// Writes one disease of a diagnosis, recorded on this day. No one has said whether it is active or confirmed.
pub(crate) fn condition(out: &mut Writer, diagnosis: &Diagnosis, disease: &Disease, recorded: Date) {
    out.list("category", |all| all.object(|category| ENCOUNTER_DIAGNOSIS.write_concept(category)));
    concept(out, "code", Some(disease));
    subject(out, diagnosis.patient_id);
    reference(out, "encounter", "Encounter", diagnosis.consultation_id);
    day(out, "recordedDate", recorded);
}

/// Writes the prescription. Its medicine is a text and not a reference, so that it does not depend on the inventory.
pub(crate) fn medication_request(out: &mut Writer, prescription: &Prescription) {
    let is_active = prescription.state == PrescriptionState::Active;
    let days = prescription.every_days.filter(|_| prescription.is_regular());
    out.text("status", if is_active { "active" } else { "completed" });
    out.text("intent", "order");
    concept(out, "medicationCodeableConcept", Some(&prescription.medicine));
    subject(out, prescription.patient_id);
    reference(out, "encounter", "Encounter", prescription.consultation_id);
    day(out, "authoredOn", prescription.prescribed);
    out.object("courseOfTherapyType", |course| {
        if prescription.is_regular() {
            CONTINUOUS.write_concept(course);
        }
    });
    out.list("dosageInstruction", |all| all.object(|dosage| dosage.stored("text", prescription.dosage.as_ref())));
    out.object("dispenseRequest", |request| {
        if let Some(days) = days {
            measured(request, "dispenseInterval", &days.value().to_string(), "days", "d");
        }
        if let Some(units) = prescription.quantity {
            request.object("quantity", |quantity| quantity.number("value", units.value()));
        }
    });
}
