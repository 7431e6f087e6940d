//! What is stored.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::{RecordKey, ReplyKey, Seq, Series};
use crate::model::{
    Consultation, ConsultationId, Date, Demand, Diagnosis, Dispensing, History, Invoice, InvoiceId, Item, MedicineKey,
    Movement, MovementId, Patient, PatientId, Prescription, PrescriptionId, Stock, StockDay, Timestamp, Usage,
};

/// A record together with the journal entry that put it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versioned<T> {
    /// The `seq` of that entry.
    pub version: Seq,
    /// The record.
    pub record: T,
}

/// A versioned record is read as the record itself: `patient.name` for `patient.record.name`.
impl<T> Deref for Versioned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

/// The last number given in a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    /// The series.
    pub series: Series,
    /// The number, 1 to 2^63-1.
    pub last: i64,
}

/// The mark that a patient number was used and voided: it is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Voided {
    /// The number.
    pub patient_id: PatientId,
}

/// What was answered to a request that may be repeated, kept for a day so that a repetition is answered alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Which request it was.
    #[serde(flatten)]
    pub key: ReplyKey,
    /// Tells the request from another one under the same key.
    pub fingerprint: String,
    /// When it was answered.
    pub at: Timestamp,
    /// The use case's answer.
    pub answer: serde_json::Value,
}

/// A kind of record, with what identifies one of its kind.
pub trait Entity: 'static + Clone + PartialEq + Into<Record> + Sized {
    /// What identifies it.
    type Id;

    /// The key of the record with this identity.
    fn key(id: Self::Id) -> RecordKey;

    /// The record as this kind, if it is of it.
    fn from_record(record: &Record) -> Option<&Self>;

    /// The same, taken out of the record.
    fn try_from_record(record: Record) -> Option<Self>;
}

/// Makes the sum of all records, so that a new kind does not compile until every store handles it.
macro_rules! records {
    ($($(#[$doc:meta])* $kind:ident { $id:ty, $binding:pat => $key:expr, $record:ident => $of:expr })*) => {
        /// Any record. In the journal it is `{"record": kind, "value": {…}}`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "record", content = "value")]
        pub enum Record {
            $($(#[$doc])* $kind($kind),)*
        }

        impl Record {
            /// What names this record.
            pub fn key(&self) -> RecordKey {
                match self {
                    $(Self::$kind($record) => $of,)*
                }
            }
        }

        $(
            impl From<$kind> for Record {
                fn from(record: $kind) -> Self {
                    Self::$kind(record)
                }
            }

            impl Entity for $kind {
                type Id = $id;

                fn key($binding: Self::Id) -> RecordKey {
                    $key
                }

                fn from_record(record: &Record) -> Option<&Self> {
                    match record {
                        Record::$kind(record) => Some(record),
                        _ => None,
                    }
                }

                fn try_from_record(record: Record) -> Option<Self> {
                    match record {
                        Record::$kind(record) => Some(record),
                        _ => None,
                    }
                }
            }
        )*
    };
}

records! {
    /// A patient.
    Patient { PatientId, id => RecordKey::Patient(id), r => RecordKey::Patient(r.patient_id) }
    /// A voided patient number.
    Voided { PatientId, id => RecordKey::Voided(id), r => RecordKey::Voided(r.patient_id) }
    /// A patient's completed visits, without the diseases.
    History { PatientId, id => RecordKey::History(id), r => RecordKey::History(r.patient_id) }
    /// A consultation, without the diseases.
    Consultation { ConsultationId, id => RecordKey::Consultation(id), r => RecordKey::Consultation(r.consultation_id) }
    /// What was diagnosed in a consultation.
    Diagnosis { ConsultationId, id => RecordKey::Diagnosis(id), r => RecordKey::Diagnosis(r.consultation_id) }
    /// A prescription.
    Prescription { PrescriptionId, id => RecordKey::Prescription(id), r => RecordKey::Prescription(r.prescription_id) }
    /// An invoice.
    Invoice { InvoiceId, id => RecordKey::Invoice(id), r => RecordKey::Invoice(r.invoice_id) }
    /// An inventory item.
    Item { MedicineKey, key => RecordKey::Item(key), r => RecordKey::Item(r.medicine.key().clone()) }
    /// What was prescribed of a medicine on a day.
    Demand {
        (MedicineKey, Date),
        (key, day) => RecordKey::Demand(day, key),
        r => RecordKey::Demand(r.day, r.medicine.key().clone())
    }
    /// What recurs of a medicine.
    Usage { MedicineKey, key => RecordKey::Usage(key), r => RecordKey::Usage(r.medicine.key().clone()) }
    /// The stock of a medicine.
    Stock { MedicineKey, key => RecordKey::Stock(key), r => RecordKey::Stock(r.medicine.key().clone()) }
    /// A movement of stock.
    Movement { MovementId, id => RecordKey::Movement(id), r => RecordKey::Movement(r.movement_id) }
    /// What was moved of a medicine on a day.
    StockDay {
        (MedicineKey, Date),
        (key, day) => RecordKey::StockDay(key, day),
        r => RecordKey::StockDay(r.medicine.key().clone(), r.day)
    }
    /// What an invoice took from which lots.
    Dispensing { InvoiceId, id => RecordKey::Dispensing(id), r => RecordKey::Dispensing(r.invoice_id) }
    /// The last number given in a series.
    Counter { Series, series => RecordKey::Counter(series), r => RecordKey::Counter(r.series) }
    /// What was answered to a request that may be repeated.
    Reply { ReplyKey, key => RecordKey::Reply(key), r => RecordKey::Reply(r.key.clone()) }
}
