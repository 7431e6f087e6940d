//! The domain's refusals. There is no HTTP in them; `rest::status` gives each its status.

use std::{borrow::Cow, fmt, sync::Arc};

/// Why a use case did not happen.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// Values break the rules of the model; all of them are listed.
    #[error("some values are not allowed: {}", listed(.0))]
    Invalid(Vec<FieldError>),
    /// There is no such record.
    #[error("there is no such {0}")]
    NotFound(Kind),
    /// The record has moved on since the version that the caller expects.
    #[error("the {0} has changed since")]
    Stale(Kind),
    /// The state of the records forbids it.
    #[error("{0}")]
    Conflict(Conflict),
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What kind of record an error speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A patient.
    Patient,
    /// A prescription.
    Prescription,
    /// An inventory item.
    Item,
    /// An invoice.
    Invoice,
    /// A consultation.
    Consultation,
    /// The stock of a medicine.
    Stock,
    /// A movement of stock.
    Movement,
}

/// Which state of the records forbids a use case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Conflict {
    /// A patient has this number, or had it before being voided.
    #[error("a patient has or had this number")]
    PatientExists,
    /// No patient number is left to give.
    #[error("all patient numbers are used")]
    NoNumberLeft,
    /// The inventory has this medicine already.
    #[error("the inventory already has this medicine")]
    ItemExists,
    /// The patient has an active prescription for this medicine already.
    #[error("the patient already has an active prescription for this medicine")]
    AlreadyPrescribed,
    /// With these, more diseases would be recorded of the patient than there can be.
    #[error("a patient has at most 10,000 recorded diseases")]
    HistoryFull,
    /// The patient would have more active prescriptions than [`MAX_ACTIVE`](crate::model::Prescription::MAX_ACTIVE).
    #[error("a patient has at most 1,000 active prescriptions")]
    TooManyPrescriptions,
    /// An invoice waits for payment; cancel it first.
    #[error("an invoice is unpaid; cancel it first")]
    UnpaidInvoice,
    /// The invoice was paid.
    #[error("the invoice is already paid")]
    InvoicePaid,
    /// The prescription was completed.
    #[error("the prescription is completed")]
    PrescriptionCompleted,
    /// The stock of this medicine is tracked already.
    #[error("the stock of this medicine is already tracked")]
    AlreadyTracked,
    /// Units of the medicine are there or reserved, those past their date included.
    #[error(
        "the medicine has units, expired ones included, or reservations; remove the units and cancel the invoices first"
    )]
    StockLeft,
    /// The medicine is held, or fewer units are there than are needed.
    #[error("the medicine is held, or has fewer units than needed")]
    InsufficientStock,
    /// The medicine would have more lots with units than it may.
    #[error("the medicine would have more than 64 open lots")]
    TooManyLots,
    /// The medicine would have more units than it may.
    #[error("the medicine would have more than 1000000000 units")]
    TooMuchStock,
    /// The movement was reversed.
    #[error("the movement is already reversed")]
    AlreadyReversed,
    /// The movement is no receipt and no removal, or its medicine is no longer tracked.
    #[error("only receipts and removals of a tracked medicine can be reversed")]
    NotReversible,
    /// The invoice did not take that many units of the lot, less what came back.
    #[error("the invoice took fewer units of this lot, less those that came back")]
    NotDispensed,
}

/// A field that is at fault, and the rule it breaks. Never holds the submitted value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {detail}")]
pub struct FieldError {
    /// The field's name, `prescriptions[0].price` for a nested one.
    pub field: Cow<'static, str>,
    /// What is wrong with it, in one sentence.
    pub detail: &'static str,
}

/// Why a store could not do what it was asked. The backend's own error is the source, for logs only.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{kind}")]
pub struct StoreError {
    kind: StoreErrorKind,
    #[source]
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// What a store's failure means to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum StoreErrorKind {
    /// Too much is waiting, or somebody else holds the lock. Nothing was written and nothing will be; try again.
    #[error("the store is busy")]
    Busy,
    /// The decision would have loaded more than one may. Nothing was written; trying again helps only once there is less.
    #[error("the decision needs too many records")]
    Excessive,
    /// There is no room. Nothing was written and nothing will be; works again once there is room.
    #[error("the store is full")]
    Full,
    /// Writing has stopped until a restart, after a write whose outcome is unknown or because the store's files were
    /// taken away. Nothing was written.
    #[error("the store has stopped accepting writes")]
    Stopped,
    /// The store does not know whether it was written.
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
    /// A fault of this field.
    pub fn new(field: impl Into<Cow<'static, str>>, detail: &'static str) -> Self {
        Self { field: field.into(), detail }
    }
}

impl Error {
    /// One field at fault.
    pub fn field(field: impl Into<Cow<'static, str>>, detail: &'static str) -> Self {
        Self::Invalid(vec![FieldError::new(field, detail)])
    }
}

impl StoreError {
    /// A failure of this kind, caused by the backend's error.
    pub fn new(kind: StoreErrorKind, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { kind, source: Some(Arc::new(source)) }
    }

    /// What it means to the caller.
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }
}

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

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Patient => "patient",
            Self::Prescription => "prescription",
            Self::Item => "medicine",
            Self::Invoice => "invoice",
            Self::Consultation => "consultation",
            Self::Stock => "stock",
            Self::Movement => "movement",
        })
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
