//! The records of the interface document (section 2) and of the flow, in the form of answers.

use super::{
    fields::{OF_PATIENT, billed, diseases, prescribed, stocked, tracked},
    stock,
};
use crate::{
    model::Patient,
    rest::openapi::values::{
        record::{Documented, Field, Record},
        value::{
            RECENT, consultation_state, count, date, disease, identifier, invoice_state, medicine, person_name,
            prescription_state, short_text,
        },
    },
};

/// Returns all of them.
pub(crate) fn all() -> [Record; 12] {
    [
        Patient::record(),
        prescription(),
        listed_prescription(),
        stored_prescription(),
        inventory(),
        invoice(),
        listed_invoice(),
        history(),
        stored_history(),
        history_entry(),
        consultation(),
        stored_consultation(),
    ]
}

const AVAILABLE: &str = "Whether the medicine is available in the inventory at this moment.";

pub(crate) fn prescription() -> Record {
    let description = "Details of a prescription assigned to a patient.";
    Record::new("Prescription", description, prescribed(AVAILABLE)).rooted("Prescription").requiring(&[
        "patientId",
        "medicine",
        "isAvailable",
    ])
}

pub(super) fn listed_prescription() -> Record {
    let description = "A prescription, its identifier and its state.";
    let mut fields = tracked("prescriptionId", prescribed(AVAILABLE), prescription_state());
    fields.extend(stock::supply_fields());
    Record::new("ListedPrescription", description, fields).requiring(&[
        "prescriptionId",
        "patientId",
        "medicine",
        "isAvailable",
        "state",
    ])
}

pub(super) fn stored_prescription() -> Record {
    let description = "A prescription as it is stored, without the availability of its medicine.";
    let mut fields = prescribed(AVAILABLE);
    fields.retain(|field| field.name() != "isAvailable");
    let mut fields = tracked("prescriptionId", fields, prescription_state());
    fields.extend(stock::supply_fields());
    Record::new("StoredPrescription", description, fields).requiring(&[
        "prescriptionId",
        "patientId",
        "medicine",
        "state",
    ])
}

pub(crate) fn inventory() -> Record {
    let description = "Availability and pricing of a medicine in stock.";
    Record::new("Inventory", description, stocked("Name of the stocked medicine."))
        .rooted("Inventory")
        .requiring(&["medicine", "isAvailable"])
}

pub(crate) fn invoice() -> Record {
    let description = "Billing statement for a patient's prescription: a snapshot taken when it was issued.";
    Record::new("Invoice", description, billed()).rooted("Invoice").requiring(&["patientId", "medicine"])
}

pub(super) fn listed_invoice() -> Record {
    let description = "An invoice, its identifier and its state.";
    let mut fields = tracked("invoiceId", billed(), invoice_state());
    fields.push(stock::quantity_field());
    fields.push(Field::new("receiptId", identifier(1), "The receipt of its payment."));
    fields.push(Field::new("creditNoteId", identifier(1), "The credit note of its refund."));
    Record::new("ListedInvoice", description, fields).requiring(&["invoiceId", "patientId", "medicine", "state"])
}

pub(crate) fn history() -> Record {
    let fields = vec![
        Field::new("patientId", identifier(7), "Identifier of the patient."),
        Field::new("name", person_name(), "Registered name of the patient."),
        Field::new("medicine", medicine(), "The medicine billed by the last payment that stands."),
        Field::new("dosage", short_text("1-0-1"), "The dosage billed by it."),
        Field::new("history", history_entry().nested("history").list(), "Previously diagnosed diseases."),
        Field::new("visits", count(1), "Total number of hospital visits."),
        Field::new("lastvisit", date(RECENT), "Date of the most recent visit."),
    ];
    Record::new("History", "A patient's completed visits.", fields).rooted("History").requiring(&[
        "patientId",
        "history",
        "visits",
    ])
}

pub(super) fn stored_history() -> Record {
    let fields = vec![
        Field::new("patientId", identifier(7), "Identifier of the patient."),
        Field::new("medicine", medicine(), "The medicine billed by the last payment that stands."),
        Field::new("dosage", short_text("1-0-1"), "The dosage billed by it."),
        Field::new("diseases", count(1), "The number of recorded diseases, including those of open consultations."),
        Field::new("visits", count(1), "The number of completed consultations."),
        Field::new("lastvisit", date(RECENT), "Day of the latest completed consultation."),
    ];
    let description = "A history as it is stored: the diseases themselves are in the consultations.";
    Record::new("StoredHistory", description, fields).requiring(&["patientId", "diseases", "visits"])
}

pub(super) fn history_entry() -> Record {
    let fields = ["disease1", "disease2", "disease3"].map(|name| Field::new(name, disease(), ""));
    let description = "Up to three diseases of one visit; more than three spill into a further element.";
    Record::new("HistoryEntry", description, fields.into()).requiring(&["disease1"])
}

pub(crate) fn consultation() -> Record {
    Record::new("Consultation", "The diseases and prescriptions of one visit.", visited("The diseases."))
        .rooted("Consultation")
        .requiring(&["consultationId", "patientId", "date", "diseases", "prescriptionIds", "state"])
}

pub(super) fn stored_consultation() -> Record {
    let description = "A consultation as it is stored.";
    let fields = visited("The diseases; only in the entries that record them and count them as a visit.");
    Record::new("StoredConsultation", description, fields).requiring(&[
        "consultationId",
        "patientId",
        "date",
        "prescriptionIds",
        "state",
    ])
}

fn visited(diagnosed: &'static str) -> Vec<Field> {
    vec![
        Field::new("consultationId", identifier(1), "Unique identifier of the consultation."),
        Field::new("patientId", identifier(7), OF_PATIENT),
        Field::new("date", date(RECENT), "Day of the visit."),
        Field::new("diseases", diseases(), diagnosed),
        Field::new("prescriptionIds", identifier(1).list(), "The prescriptions that are not withdrawn."),
        Field::new("state", consultation_state(), "`completed`: it was counted as a visit."),
    ]
}
