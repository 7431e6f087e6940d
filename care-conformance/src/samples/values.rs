//! Single values, made short to write.

use care_core::{
    model::{ConsultationId, Date, Invalid, InvoiceId, MedicineName, MovementId, PatientId, PrescriptionId, Timestamp},
    store::Act,
};

/// A value that the model does not refuse.
pub(super) fn legal<T>(value: Result<T, Invalid>) -> T {
    value.expect("a sample is legal")
}

/// A patient's number.
pub fn patient_id(number: i64) -> PatientId {
    legal(number.try_into())
}

/// A prescription's number.
pub fn prescription_id(number: i64) -> PrescriptionId {
    legal(number.try_into())
}

/// An invoice's number.
pub fn invoice_id(number: i64) -> InvoiceId {
    legal(number.try_into())
}

/// An movement's number.
pub fn movement_id(number: i64) -> MovementId {
    legal(number.try_into())
}

/// A consultation's number.
pub fn consultation_id(number: i64) -> ConsultationId {
    legal(number.try_into())
}

/// A medicine's name.
pub fn medicine(name: &str) -> MedicineName {
    legal(MedicineName::new(name))
}

/// A day, as `DD/MM/YYYY`.
pub fn date(text: &str) -> Date {
    legal(text.parse())
}

/// The earliest day there is.
pub fn first_day() -> Date {
    date("01/01/1900")
}

/// The latest day there is.
pub fn last_day() -> Date {
    date("31/12/9999")
}

/// Somebody doing something at some time.
pub fn act() -> Act {
    Act {
        actor: "conformance".into(),
        operation: "updatePatient",
        at: legal(Timestamp::from_unix_millis(1_769_847_300_123)),
        until: None,
    }
}
