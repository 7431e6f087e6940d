//! The records in requests.

use crate::{
    model::{Consultation, Disease, Item, Patient},
    rest::openapi::values::{
        record::{Documented, Field, Record},
        value::{RECENT, date, identifier},
    },
    wire::Prescription,
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
    Patient::record().named("PatientInput", description).rooted("Patient").input()
}

pub(crate) fn new_patient() -> Record {
    let description = "A patient to register. Without a `patientId` one is given.";
    Patient::record().named("NewPatientInput", description).rooted("Patient").requiring(&[]).input()
}

pub(crate) fn prescription() -> Record {
    let description = "What a request says about a prescription. An absent member keeps its value or takes the \
                       inventory's, `null` clears it.";
    made().named("PrescriptionInput", description).rooted("Prescription").without(&["quantity", "everyDays"])
}

pub(crate) fn new_prescription() -> Record {
    let description = "A new prescription. An absent member takes the inventory's value.";
    made().named("NewPrescriptionInput", description).rooted("Prescription")
}

/// Returns a new prescription.
fn made() -> Record {
    Prescription::record()
        .without(&["prescriptionId", "state"])
        .changing("isAvailable", |field| field.meaning(IGNORED).optional())
        .input()
}

pub(crate) fn inventory() -> Record {
    let description = "What a request says about an inventory item. An absent member keeps its value, `null` clears \
                       it; an item is available unless it is said not to be. The XML root may be `InventoryItem` too.";
    Item::record()
        .named("InventoryInput", description)
        .rooted("Inventory")
        .requiring(&[])
        .changing("medicine", |field| field.meaning("Must be the medicine in the path, in any spelling."))
        .input()
}

pub(crate) fn consultation() -> Record {
    let prescriptions = consultation_prescription().nested("prescriptions").list();
    let prescriptions = prescriptions.with("maxItems", Consultation::MAX_PRESCRIPTIONS);
    let fields = vec![
        Field::new("patientId", identifier(7), "Unique identifier of the patient."),
        Field::new("date", date(RECENT), "Day of the visit, today unless given, tomorrow at the latest."),
        Field::of::<Vec<Disease>>("diseases", "The diseases.").with("maxItems", Consultation::MAX_DISEASES),
        Field::new("prescriptions", prescriptions, "The prescriptions, each medicine once."),
    ];
    Record::new("ConsultationInput", "A new consultation, recorded completely or not at all.", fields)
        .rooted("Consultation")
        .requiring(&["patientId"])
        .input()
}

pub(super) fn consultation_prescription() -> Record {
    let description = "A prescription of the consultation; its `patientId`, if given, is the consultation's.";
    made().named("ConsultationPrescriptionInput", description).requiring(&["medicine"])
}
