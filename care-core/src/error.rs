//! The refusals of the domain. They contain no HTTP; the table in `rest::contract::problem` gives each its status.

use std::{borrow::Cow, sync::Arc};

use crate::kinds::RecordKind;

/// The reason why a use case did not happen. Two of one meaning are equal, whatever the backend of the store says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Values break rules of the model. All faults are listed.
    #[error("some values are not allowed: {}", listed(.0))]
    Invalid(Vec<FieldError>),
    /// The record does not exist.
    #[error("there is no such {0}")]
    NotFound(RecordKind),
    /// The record has another version than the caller expects.
    #[error("the {0} has changed since")]
    Stale(RecordKind),
    /// The state of the records forbids the use case.
    #[error("{0}")]
    Conflict(Conflict),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The state of the records that forbids a use case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Conflict {
    /// A patient has this number, or had it before being voided.
    #[error("a patient has or had this number")]
    PatientExists,
    /// All patient numbers are used.
    #[error("all patient numbers are used")]
    NoNumberLeft,
    /// The inventory has this medicine already.
    #[error("the inventory already has this medicine")]
    ItemExists,
    /// The patient already has an active prescription for this medicine.
    #[error("the patient already has an active prescription for this medicine")]
    AlreadyPrescribed,
    /// The patient would have more recorded diseases than [`MAX_DISEASES`](crate::model::History::MAX_DISEASES).
    #[error("a patient has at most 10,000 recorded diseases")]
    HistoryFull,
    /// The patient would have more active prescriptions than [`MAX_ACTIVE`](crate::model::Prescription::MAX_ACTIVE).
    #[error("a patient has at most 1,000 active prescriptions")]
    TooManyPrescriptions,
    /// An invoice is unpaid. The client has to cancel it first.
    #[error("an invoice is unpaid; cancel it first")]
    UnpaidInvoice,
    /// The invoice is paid.
    #[error("the invoice is already paid")]
    InvoicePaid,
    /// The invoice is not paid. The client can cancel it instead.
    #[error("the invoice is not paid; cancel it instead")]
    InvoiceUnpaid,
    /// The invoice was refunded, so it cannot be paid again.
    #[error("the invoice was refunded")]
    InvoiceRefunded,
    /// The invoice is refunded already.
    #[error("the invoice is already refunded")]
    AlreadyRefunded,
    /// The prescription of a refunded invoice cannot be made active again: it or its patient is gone, another one for
    /// the medicine is active, the patient has as many active ones as there may be, or another payment of it stands.
    #[error(
        "the prescription cannot be invoiced again: it or its patient is gone, another one for the medicine or too \
         many are active, or another payment of it stands"
    )]
    NotReopenable,
    /// The receipt is a correction itself.
    #[error("a correction cannot be corrected; correct the receipt that it corrects")]
    NotCorrectable,
    /// A sum of takings would leave the range of exact numbers.
    #[error("a sum of the takings would be too large")]
    TakingsFull,
    /// The prescription is completed.
    #[error("the prescription is completed")]
    PrescriptionCompleted,
    /// The stock of this medicine is tracked already.
    #[error("the stock of this medicine is already tracked")]
    AlreadyTracked,
    /// The medicine has units in stock or reserved, which includes expired ones.
    #[error(
        "the medicine has units, expired ones included, or reservations; remove the units and cancel the invoices first"
    )]
    StockLeft,
    /// The medicine is held, or has fewer units than needed.
    #[error("the medicine is held, or has fewer units than needed")]
    InsufficientStock,
    /// The medicine would have more lots with units than [`MAX_LOTS`](crate::model::Shelf::MAX_LOTS).
    #[error("the medicine would have too many open lots")]
    TooManyLots,
    /// The medicine would have more than 10^9 units.
    #[error("the medicine would have too many units")]
    TooMuchStock,
    /// The movement is already reversed.
    #[error("the movement is already reversed")]
    AlreadyReversed,
    /// The movement is neither a receipt nor a removal, or its medicine is no longer tracked.
    #[error("only receipts and removals of a tracked medicine can be reversed")]
    NotReversible,
    /// The invoice took fewer units of the lot, less the units that came back.
    #[error("the invoice took fewer units of this lot, less those that came back")]
    NotDispensed,
    /// More movements have come since that version than are followed back.
    #[error("too many movements have come since that version")]
    TooLongAgo,
}

/// A field at fault, and the rule that it breaks. It never contains the submitted value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}{}{detail}", if .field.is_empty() { "" } else { ": " })]
pub struct FieldError {
    /// The field's name, `prescriptions[0].price` for a nested one; empty where the caller has named none.
    pub field: Cow<'static, str>,
    /// The fault, in one sentence.
    pub detail: &'static str,
}

/// A failure of the store. The backend's own error is its source, for logs only.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{kind}")]
pub struct StoreError {
    pub(crate) kind: StoreErrorKind,
    #[source]
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The meaning of a store's failure for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum StoreErrorKind {
    /// Too many requests wait, or another process holds the lock. Nothing was written and nothing will be; try again.
    #[error("the store is busy")]
    Busy,
    /// The decision would have loaded more records than one may. Nothing was written; trying again helps only once
    /// there are fewer.
    #[error("the decision needs too many records")]
    Excessive,
    /// The disk is full. Nothing was written and nothing will be; writes work again once there is room.
    #[error("the store is full")]
    Full,
    /// The store takes no writes until a restart, after a write with an unknown outcome or because its files were taken
    /// away. Nothing was written.
    #[error("the store has stopped accepting writes")]
    Stopped,
    /// The store does not know whether the write happened.
    #[error("the outcome of a write is unknown")]
    Unknown,
    /// The store cannot do what is asked, and never could. Nothing was written.
    #[error("the store cannot do this")]
    Unsupported,
    /// The store, or a decision run in it, is broken. Nothing was written.
    #[error("the store failed")]
    Broken,
}

/// Returns the faults in one line.
fn listed(faults: &[FieldError]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl FieldError {
    /// Returns a fault of this field.
    pub fn new(field: impl Into<Cow<'static, str>>, detail: &'static str) -> Self {
        Self { field: field.into(), detail }
    }
}

impl Error {
    /// Returns the error for one field at fault.
    pub fn field(field: impl Into<Cow<'static, str>>, detail: &'static str) -> Self {
        Self::Invalid(vec![FieldError::new(field, detail)])
    }
}

impl StoreError {
    /// Returns a failure of this kind, caused by the backend's error.
    pub fn new(kind: StoreErrorKind, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { kind, source: Some(Arc::new(source)) }
    }

    /// Returns the meaning of the failure for the caller.
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }
}

/// Two failures of one kind mean the same.
impl PartialEq for StoreError {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for StoreError {}

impl From<StoreErrorKind> for StoreError {
    fn from(kind: StoreErrorKind) -> Self {
        Self { kind, source: None }
    }
}

impl From<Conflict> for Error {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_values_names_the_fields() {
        let faults = [("age", "must be 0 to 150"), ("items[0].price", "must not be negative")];
        let error = Error::Invalid(faults.map(|(field, detail)| FieldError::new(field, detail)).to_vec());
        assert_eq!(
            error.to_string(),
            "some values are not allowed: age: must be 0 to 150; items[0].price: must not be negative"
        );
    }
}
