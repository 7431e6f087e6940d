//! The records in requests.

use super::{
    fields::{OF_PATIENT, diseases, prescribed, stocked},
    stock,
};
use crate::{
    model::{Consultation, Patient},
    rest::openapi::values::{
        record::{Documented, Field, Record},
        value::{RECENT, date, identifier},
    },
};

/// Returns all of them.
pub(crate) fn all() -> [Record; 7] {
    [
        patient(),
        new_patient(),
        prescription(),
        new_prescription(),
        inventory(),
        consultation(),
        consultation_prescription(),
    ]
}

const IGNORED: &str = "Without effect: availability follows from the inventory.";

pub(crate) fn patient() -> Record {
    let description = "An update of a patient. An absent member keeps its value, `null` clears it.";
    Record::new("PatientInput", description, Patient::members()).rooted("Patient").requiring(&["patientId"]).input()
}

pub(crate) fn new_patient() -> Record {
    let description = "A patient to register. Without a `patientId` one is given.";
    Record::new("NewPatientInput", description, Patient::members()).rooted("Patient").input()
}

pub(crate) fn prescription() -> Record {
    let description = "What a request says about a prescription. An absent member keeps its value or takes the \
                       inventory's, `null` clears it.";
    Record::new("PrescriptionInput", description, prescribed(IGNORED))
        .rooted("Prescription")
        .requiring(&["patientId", "medicine"])
        .input()
}

pub(crate) fn new_prescription() -> Record {
    let description = "A new prescription. An absent member takes the inventory's value.";
    Record::new("NewPrescriptionInput", description, made())
        .rooted("Prescription")
        .requiring(&["patientId", "medicine"])
        .input()
}

/// Returns the members of a new prescription.
fn made() -> Vec<Field> {
    prescribed(IGNORED).into_iter().chain(stock::supply_fields()).collect()
}

pub(crate) fn inventory() -> Record {
    let description = "What a request says about an inventory item. An absent member keeps its value, `null` clears \
                       it; an item is available unless it is said not to be. The XML root may be `InventoryItem` too.";
    let fields = stocked("Must be the medicine in the path, in any spelling.");
    Record::new("InventoryInput", description, fields).rooted("Inventory").input()
}

pub(crate) fn consultation() -> Record {
    let prescriptions = consultation_prescription().nested("prescriptions").list();
    let prescriptions = prescriptions.with("maxItems", Consultation::MAX_PRESCRIPTIONS);
    let fields = vec![
        Field::new("patientId", identifier(7), OF_PATIENT),
        Field::new("date", date(RECENT), "Day of the visit, today unless given, tomorrow at the latest."),
        Field::new("diseases", diseases(), "The diseases."),
        Field::new("prescriptions", prescriptions, "The prescriptions, each medicine once."),
    ];
    Record::new("ConsultationInput", "A new consultation, recorded completely or not at all.", fields)
        .rooted("Consultation")
        .requiring(&["patientId"])
        .input()
}

pub(super) fn consultation_prescription() -> Record {
    let description = "A prescription of the consultation; its `patientId`, if given, is the consultation's.";
    Record::new("ConsultationPrescriptionInput", description, made()).requiring(&["medicine"]).input()
}
