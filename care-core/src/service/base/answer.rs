//! Answers of use cases with their versions.

use serde::{Deserialize, Serialize};

use crate::{
    model::{Invoice, Movement, Patient, PatientConsultation, Receipt},
    service::{LiveItem, LivePrescription, LiveStock},
    store::{RecordKey, Seq, Versioned},
};

/// The answer of a use case, together with the version of its record afterwards.
///
/// A decision does not know the number of the entry that its store will write, so it records whether its answer is of
/// that entry or of an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WriteAnswer<T> {
    answer: T,
    /// The version of an unchanged record; absent when this entry puts the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<Seq>,
}

impl<T> WriteAnswer<T> {
    /// Returns an answer about a record that this entry puts.
    pub(crate) const fn now(answer: T) -> Self {
        Self { answer, since: None }
    }

    /// Returns an answer about a record that is unchanged since this version.
    pub(crate) const fn before(version: Seq, answer: T) -> Self {
        Self { answer, since: Some(version) }
    }

    /// Returns the answer as another type, with the same version.
    pub(crate) fn map<U>(self, map: impl FnOnce(T) -> U) -> WriteAnswer<U> {
        WriteAnswer { answer: map(self.answer), since: self.since }
    }

    /// Returns the answer with its version, given the number of the entry.
    pub(crate) fn versioned(self, entry: Seq) -> Versioned<T> {
        Versioned { version: self.since.unwrap_or(entry), record: self.answer }
    }
}

impl<T: PartialEq> WriteAnswer<T> {
    /// Returns the record that replaces a stored one, unless the two are equal.
    pub(crate) fn over(stored: &Versioned<T>, record: T) -> Self {
        Self { since: (stored.record == record).then_some(stored.version), answer: record }
    }
}

/// The answer of a use case, and the patient's record that its reader has seen in it.
pub(crate) trait UseCaseAnswer {
    /// Returns the key of that record; `None` when it is no patient's.
    fn read(&self) -> Option<RecordKey>;
}

impl<T: UseCaseAnswer> UseCaseAnswer for WriteAnswer<T> {
    fn read(&self) -> Option<RecordKey> {
        self.answer.read()
    }
}

/// Defines for each answer which record it shows.
macro_rules! answered {
    ($($answer:ty: $record:ident => $key:expr;)*) => {
        $(impl UseCaseAnswer for $answer {
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
    Receipt: _receipt => None;
    Patient: patient => Some(RecordKey::Patient(patient.patient_id));
    PatientConsultation: consultation => Some(RecordKey::Consultation(consultation.consultation_id));
    LivePrescription: live => Some(RecordKey::Prescription(live.prescription.prescription_id));
    Invoice: invoice => Some(RecordKey::Invoice(invoice.invoice_id));
}
