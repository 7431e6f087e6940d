//! Keys: the questions that a decision can ask a store.

use crate::{
    model::{MedicineKey, MovementId, PatientId, PrescriptionId, ReceiptId, Timestamp},
    store::{RecordKey, RequestKey},
};

/// The questions that a decision can ask a store: a record by its key, and a few indexed ones.
///
/// The cost of each must hardly depend on the size of the store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// This record.
    Record(RecordKey),
    /// The patient's prescription for the medicine whose state is active. There is at most one.
    ActivePrescription(PatientId, MedicineKey),
    /// The patient's prescription for the medicine with the highest number.
    NewestPrescription(PatientId, MedicineKey),
    /// The active prescription for the medicine with the lowest number, of any patient.
    ActivePrescriptionFor(MedicineKey),
    /// The number of the patient's active prescriptions, answered as [`Lookup::Count`](crate::store::Lookup::Count).
    ActivePrescriptions(PatientId),
    /// All prescriptions of the patient, by number.
    PrescriptionsOf(PatientId),
    /// All consultations of the patient, by number.
    ConsultationsOf(PatientId),
    /// All diagnoses of the patient, by the number of the consultation.
    DiagnosesOf(PatientId),
    /// The prescription's unpaid invoice. There is at most one.
    UnpaidInvoice(PrescriptionId),
    /// The unpaid invoice with the lowest number among all of the patient's.
    UnpaidInvoiceOf(PatientId),
    /// The two paid invoices of the prescription with the lowest numbers, or fewer.
    PaidInvoices(PrescriptionId),
    /// The two paid invoices of the patient with the highest receipts, or fewer, the highest first.
    LastPaidInvoices(PatientId),
    /// The correction of this receipt with the highest number.
    LastCorrection(ReceiptId),
    /// The stock of the medicine; when it has none, its item in the inventory.
    StockOrItem(MedicineKey),
    /// The open lots of the medicine, in the order in which they are handed out.
    OpenLots(MedicineKey),
    /// The movement that reverses this one. There is at most one.
    ReversalOf(MovementId),
    /// The smallest patient number above this one that no [`Patient`](RecordKey::Patient) and no
    /// [`Voided`](RecordKey::Voided) record has, answered as a [`Counter`](crate::store::Counter) of
    /// [`Series::Patient`](crate::store::Series::Patient); no record when there is none up to 2^63-1.
    FreePatientNumber(i64),
    /// The reply to the request with this key. There is at most one.
    ReplyTo(RequestKey),
    /// The two oldest replies before this instant, or fewer. Replies of the same instant are ordered by identifier.
    RepliesBefore(Timestamp),
}

impl From<RecordKey> for Key {
    fn from(key: RecordKey) -> Self {
        Self::Record(key)
    }
}
