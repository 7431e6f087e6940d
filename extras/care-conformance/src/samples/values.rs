//! Single values, by short functions.

use care_core::{
    model::{
        ConsultationId, CreditNoteId, Date, Invalid, InvoiceId, MedicineName, MovementId, PatientId, PrescriptionId,
        ReceiptId, Timestamp,
    },
    operation::Operation,
    store::Act,
};

/// Returns a value, and panics when the model refuses it.
pub(super) fn legal<T>(value: Result<T, Invalid>) -> T {
    value.expect("a sample is legal")
}

/// Returns the identifier of a patient.
pub fn patient_id(number: i64) -> PatientId {
    legal(number.try_into())
}

/// Returns the identifier of a prescription.
pub fn prescription_id(number: i64) -> PrescriptionId {
    legal(number.try_into())
}

/// Returns the identifier of an invoice.
pub fn invoice_id(number: i64) -> InvoiceId {
    legal(number.try_into())
}

/// Returns the identifier of a movement.
pub fn movement_id(number: i64) -> MovementId {
    legal(number.try_into())
}

/// Returns the identifier of a receipt.
pub fn receipt_id(number: i64) -> ReceiptId {
    legal(number.try_into())
}

/// Returns the number of a credit note.
pub fn credit_note_id(number: i64) -> CreditNoteId {
    legal(number.try_into())
}

/// Returns the identifier of a consultation.
pub fn consultation_id(number: i64) -> ConsultationId {
    legal(number.try_into())
}

/// Returns the name of a medicine.
pub fn medicine(name: &str) -> MedicineName {
    legal(MedicineName::new(name))
}

/// Returns the day of a text `DD/MM/YYYY`.
pub fn date(text: &str) -> Date {
    legal(text.parse())
}

/// Returns the first day of the model's range.
pub fn first_day() -> Date {
    date("01/01/1900")
}

/// Returns the last day of the model's range.
pub fn last_day() -> Date {
    date("31/12/9999")
}

/// Returns an act: one actor, operation and instant.
pub fn act() -> Act {
    Act::new("conformance", Operation::UpdatePatient, legal(Timestamp::from_unix_millis(1_769_847_300_123)))
}
