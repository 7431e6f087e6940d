//! What a use case answers with, and which version that has.

use serde::{Deserialize, Serialize};

use super::{LiveItem, LivePrescription, LiveStock, history::Head};
use crate::{
    model::{Invoice, Movement, Patient, PatientConsultation, Supply},
    store::{RecordKey, Seq, Versioned},
};

/// A use case's answer, together with the version that its record has afterwards.
///
/// A decision does not know the number of the entry that its store will write, so it says of an answer whether it is of
/// that entry or of an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Written<T> {
    answer: T,
    /// The version of a record that stays as it is; absent when this entry puts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<Seq>,
}

impl<T> Written<T> {
    /// An answer about a record that this entry puts.
    pub(super) const fn now(answer: T) -> Self {
        Self { answer, since: None }
    }

    /// An answer about a record that has stayed the same since this version.
    pub(super) const fn before(version: Seq, answer: T) -> Self {
        Self { answer, since: Some(version) }
    }

    /// The answer as another type, of the same version.
    pub(super) fn map<U>(self, map: impl FnOnce(T) -> U) -> Written<U> {
        Written { answer: map(self.answer), since: self.since }
    }

    /// The answer with its version, where this is the number of the entry.
    pub(super) fn versioned(self, entry: Seq) -> Versioned<T> {
        Versioned { version: self.since.unwrap_or(entry), record: self.answer }
    }
}

impl<T: PartialEq> Written<T> {
    /// The record that takes the place of a stored one, unless the two are the same.
    pub(super) fn over(stored: &Versioned<T>, record: T) -> Self {
        Self { since: (stored.record == record).then_some(stored.version), answer: record }
    }
}

/// What a use case answers with, and which record of a patient's its reader has seen then.
pub(super) trait Answered {
    /// The record; `None` when it is no patient's.
    fn read(&self) -> Option<RecordKey>;
}

impl<T: Answered> Answered for Written<T> {
    fn read(&self) -> Option<RecordKey> {
        self.answer.read()
    }
}

/// Says of each answer which record it shows.
macro_rules! answered {
    ($($answer:ty: $record:ident => $key:expr;)*) => {
        $(impl Answered for $answer {
            fn read(&self) -> Option<RecordKey> {
                let $record = self;
                $key
            }
        })*
    };
}

answered! {
    (): _nothing => None;
    LiveItem: _item => None;
    LiveStock: _stock => None;
    Movement: _movement => None;
    Supply: supply => Some(RecordKey::Prescription(supply.prescription_id));
    Patient: patient => Some(RecordKey::Patient(patient.patient_id));
    Head: head => Some(RecordKey::History(head.history.patient_id));
    PatientConsultation: consultation => Some(RecordKey::Consultation(consultation.consultation_id));
    LivePrescription: live => Some(RecordKey::Prescription(live.prescription_id));
    Invoice: invoice => Some(RecordKey::Invoice(invoice.invoice_id));
}
