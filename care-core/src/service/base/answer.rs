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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum WriteAnswer<T> {
    /// It is about a record that this entry puts.
    Put(T),
    /// It is about a record that is unchanged since this version.
    Kept(Seq, T),
}

impl<T> WriteAnswer<T> {
    /// Returns the answer as another type, with the same version.
    pub(crate) fn map<U>(self, map: impl FnOnce(T) -> U) -> WriteAnswer<U> {
        match self {
            Self::Put(answer) => WriteAnswer::Put(map(answer)),
            Self::Kept(version, answer) => WriteAnswer::Kept(version, map(answer)),
        }
    }

    /// Returns the answer with its version, given the number of the entry.
    pub(crate) fn versioned(self, entry: Seq) -> Versioned<T> {
        match self {
            Self::Put(record) => Versioned { version: entry, record },
            Self::Kept(version, record) => Versioned { version, record },
        }
    }
}

impl<T: PartialEq> WriteAnswer<T> {
    /// Returns the record that replaces a stored one, unless the two are equal.
    pub(crate) fn over(stored: &Versioned<T>, record: T) -> Self {
        if stored.record == record { Self::Kept(stored.version, record) } else { Self::Put(record) }
    }
}

/// The answer of a use case, and the patient's record that its reader has seen in it.
pub(crate) trait UseCaseAnswer {
    /// Returns the key of that record; `None` when it is no patient's.
    fn read(&self) -> Option<RecordKey>;
}

impl<T: UseCaseAnswer> UseCaseAnswer for WriteAnswer<T> {
    fn read(&self) -> Option<RecordKey> {
        match self {
            Self::Put(answer) | Self::Kept(_, answer) => answer.read(),
        }
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
