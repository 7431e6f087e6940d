//! The owners of records, and the records after an erasure.

use super::record::{each_kind, kinds};
use crate::{
    kinds::RecordKind,
    model::{InvoiceId, PatientId},
    store::Record,
};

/// The owner of each record of a kind. From it follow what the voiding of a patient removes, what an erasure empties,
/// and that a record is never there without its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// The kind of the owner: a patient, or an invoice, which is a patient's.
    pub kind: RecordKind,
    /// The column with the number of the owner, null in a record that is of no person.
    pub column: &'static str,
    /// The record after the voiding of the patient.
    pub on_void: OnVoid,
}

/// The effect of voiding a patient on a record of the patient.
///
/// Not `non_exhaustive`: there is no third way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnVoid {
    /// It removes the record.
    Remove,
    /// The record stays among the facility's books, and is the voided patient's.
    Keep,
}

/// The owner of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// This patient.
    Patient(PatientId),
    /// The patient of this invoice, whom the record does not name.
    Invoice(InvoiceId),
}

/// A kind of record that may be about a person, as its declaration says.
pub(crate) trait Owned: Sized {
    /// Their owner; `None` for the person's own, and for those that are about no person.
    const OWNER: Option<Owner> = None;

    /// Whether an erasure takes something of such records.
    const IS_EMPTIED: bool = false;

    /// Returns the person whom the record is about, if it is about one.
    fn subject(&self) -> Option<Subject> {
        None
    }

    /// Returns what the erasure of the person leaves of the record; `None` when it never changes such a record.
    fn erased(&self) -> Option<Self> {
        None
    }
}

impl Record {
    /// Returns the person whom the record is about, if it is about one.
    pub(crate) fn subject(&self) -> Option<Subject> {
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match self {
                    $(Self::$kind(record) => record.subject(),)*
                }
            };
        }
        each_kind!(by_kind)
    }

    /// Returns what the erasure of the person leaves of the record; `None` when it never changes such a record.
    pub fn emptied(&self) -> Option<Self> {
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match self {
                    $(Self::$kind(record) => record.erased().map(Self::$kind),)*
                }
            };
        }
        each_kind!(by_kind)
    }
}

impl RecordKind {
    /// Returns the owner of the records of the kind; `None` where they are about no person, or are the person's own: a
    /// patient and the mark of a voided number.
    pub const fn owner(self) -> Option<Owner> {
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match self {
                    $(Self::$kind => <kinds::$kind as Owned>::OWNER,)*
                }
            };
        }
        each_kind!(by_kind)
    }

    /// Returns whether an erasure takes something of such records.
    pub const fn is_emptied(self) -> bool {
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match self {
                    $(Self::$kind => <kinds::$kind as Owned>::IS_EMPTIED,)*
                }
            };
        }
        each_kind!(by_kind)
    }
}
