//! Answers of use cases with their versions.

use serde::{Deserialize, Serialize};

use crate::{
    model::PatientConsultation,
    service::{LiveItem, LivePrescription, LiveStock},
    store::{Entity, Owned, RecordKey, Seq, Subject, Versioned},
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

impl<T: Owned + Entity> UseCaseAnswer for T {
    fn read(&self) -> Option<RecordKey> {
        match self.subject() {
            Some(Subject::Patient(_)) => Some(Self::key(self.id())),
            Some(Subject::Invoice(_)) | None => None,
        }
    }
}

/// Defines for each answer that is no stored record which one it shows.
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
    LiveItem: live => live.item.read();
    LiveStock: live => live.stock.read();
    LivePrescription: live => live.prescription.read();
    PatientConsultation: consultation => Some(RecordKey::Consultation(consultation.consultation_id));
}
