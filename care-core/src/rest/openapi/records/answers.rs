//! The records of the interface document (section 2) and of the flow that have several forms in answers.

use crate::{
    model::{History, HistoryEntry, Item, Patient, PatientConsultation, PatientHistory},
    rest::openapi::values::record::{Documented, Field, Record},
    wire::{Invoice, Prescription},
};

/// Returns the schemas of all records of the interface document, and of their stored forms.
pub(crate) fn all() -> [Record; 12] {
    [
        Patient::record(),
        prescription(),
        Prescription::record(),
        stored_prescription(),
        Item::record(),
        invoice(),
        Invoice::record(),
        PatientHistory::record(),
        History::record(),
        HistoryEntry::record(),
        PatientConsultation::record(),
        stored_consultation(),
    ]
}

pub(crate) fn prescription() -> Record {
    Prescription::record()
        .named("Prescription", "Details of a prescription assigned to a patient.")
        .rooted("Prescription")
        .without(&["prescriptionId", "state", "quantity", "everyDays"])
}

pub(super) fn stored_prescription() -> Record {
    let description = "A prescription as it is stored, without the availability of its medicine.";
    Prescription::record().named("StoredPrescription", description).without(&["isAvailable"])
}

pub(crate) fn invoice() -> Record {
    let description = "Billing statement for a patient's prescription: a snapshot taken when it was issued.";
    Invoice::record().named("Invoice", description).rooted("Invoice").without(&[
        "invoiceId",
        "state",
        "quantity",
        "receiptId",
        "creditNoteId",
    ])
}

pub(super) fn stored_consultation() -> Record {
    let diagnosed = "The diseases; only in the entries that record them and count them as a visit.";
    PatientConsultation::record()
        .named("StoredConsultation", "A consultation as it is stored.")
        .changing("diseases", |field: Field| field.meaning(diagnosed).optional())
}
