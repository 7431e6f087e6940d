//! What can be asked for.

use serde::{Deserialize, Serialize};

use crate::model::{ConsultationId, Date, InvoiceId, MedicineKey, MovementId, PatientId, PrescriptionId, Timestamp};

/// Names one record. Keys are ordered by kind, as they stand here, then by what identifies one of its kind: numbers by
/// value, names by their bytes, demand by day first, days of stock by medicine first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKey {
    /// A patient.
    Patient(PatientId),
    /// The mark that a patient number was used and voided.
    Voided(PatientId),
    /// What is kept of a patient's completed visits beside the diseases.
    History(PatientId),
    /// A consultation.
    Consultation(ConsultationId),
    /// What was diagnosed in a consultation.
    Diagnosis(ConsultationId),
    /// A prescription.
    Prescription(PrescriptionId),
    /// An invoice.
    Invoice(InvoiceId),
    /// An inventory item.
    Item(MedicineKey),
    /// What was prescribed on a day of a medicine.
    Demand(Date, MedicineKey),
    /// What recurs of a medicine now.
    Usage(MedicineKey),
    /// The stock of a medicine.
    Stock(MedicineKey),
    /// A movement of stock.
    Movement(MovementId),
    /// What was moved of a medicine on a day.
    StockDay(MedicineKey, Date),
    /// What an invoice took from which lots.
    Dispensing(InvoiceId),
    /// The last number given in a series.
    Counter(Series),
    /// What was answered to a request that may be repeated.
    Reply(ReplyKey),
}

/// Names a request that may be repeated: whose it is, and the key that its sender gave it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReplyKey {
    /// Whose request it is: the id of the key that was presented, or the name that was acted in.
    pub actor: Box<str>,
    /// The sender's key, without white space.
    pub key: Box<str>,
}

/// A series of numbers that the service gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Series {
    /// Patient numbers that were given, not those that clients chose.
    Patient,
    /// Prescription numbers.
    Prescription,
    /// Invoice numbers.
    Invoice,
    /// Consultation numbers.
    Consultation,
    /// Movement numbers.
    Movement,
}

/// Everything a decision can ask a store for: a record by its key, and the few indexed questions.
///
/// Each must cost about the same however much is stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// This record.
    Record(RecordKey),
    /// The patient's prescription for the medicine whose state is active. There is at most one.
    ActivePrescription(PatientId, MedicineKey),
    /// The patient's prescription for the medicine with the highest number.
    NewestPrescription(PatientId, MedicineKey),
    /// How many of the patient's prescriptions are active, answered as [`Found::Count`](super::Found::Count).
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
    /// The movement that reverses this one. There is at most one.
    ReversalOf(MovementId),
    /// The smallest patient number above this one that no [`Patient`](RecordKey::Patient) and no
    /// [`Voided`](RecordKey::Voided) record has, answered as a [`Counter`](super::Counter) of
    /// [`Series::Patient`]; nothing when there is none up to 2^63-1.
    FreePatientNumber(i64),
    /// The two replies given longest ago (or the one, or none), among those given before this instant; of those given
    /// at once the first by actor, then by key.
    RepliesBefore(Timestamp),
}

impl From<RecordKey> for Key {
    fn from(key: RecordKey) -> Self {
        Self::Record(key)
    }
}

impl Series {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Patient => "patient",
            Self::Prescription => "prescription",
            Self::Invoice => "invoice",
            Self::Consultation => "consultation",
            Self::Movement => "movement",
        }
    }
}
