//! Records about a person, as an erasure leaves them.

use crate::{
    model::{Receipt, ReceiptKind},
    store::Record,
};

impl Record {
    /// Returns what the erasure of a person leaves of a record about that person; `None` when it never changes the
    /// record.
    pub(crate) fn emptied(&self) -> Option<Self> {
        Some(match self {
            Self::Patient(patient) => patient.emptied().into(),
            Self::History(history) => history.emptied().into(),
            Self::Diagnosis(diagnosis) => diagnosis.emptied().into(),
            Self::Prescription(prescription) => prescription.emptied().into(),
            Self::Invoice(invoice) => invoice.emptied().into(),
            Self::Movement(movement) => movement.emptied().into(),
            Self::Receipt(Receipt { kind: ReceiptKind::Payment, .. }) => return None,
            Self::Receipt(receipt) => receipt.emptied().into(),
            Self::Reply(reply) => reply.emptied().into(),
            Self::Voided(_)
            | Self::Consultation(_)
            | Self::Item(_)
            | Self::Demand(_)
            | Self::RegularDemand(_)
            | Self::Stock(_)
            | Self::OpenLot(_)
            | Self::StockDay(_)
            | Self::Dispensing(_)
            | Self::Takings(_)
            | Self::Counter(_)
            | Self::Key(_) => return None,
        })
    }
}
