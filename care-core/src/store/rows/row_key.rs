//! The identifiers of records, as the values of their table's primary key.

use super::Value;
use crate::{
    model::{ConsultationId, Date, InvoiceId, MedicineKey, MovementId, PatientId, PrescriptionId},
    store::{ReplyKey, Series},
};

/// The identifier of a record in its table.
pub trait RowKey {
    /// Returns the values of the key's columns, in the table's order.
    fn values(&self) -> impl Iterator<Item = Value<'_>>;
}

macro_rules! one_column {
    ($($id:ty, $key:ident => $of:expr;)*) => {
        $(impl RowKey for $id {
            fn values(&self) -> impl Iterator<Item = Value<'_>> {
                let $key = self;
                std::iter::once(Value::from($of))
            }
        })*
    };
}

one_column! {
    PatientId, id => id.value();
    ConsultationId, id => id.value();
    PrescriptionId, id => id.value();
    InvoiceId, id => id.value();
    MovementId, id => id.value();
    MedicineKey, key => key.as_str();
    Date, date => date.unix_days();
    Series, series => series.as_str();
}

impl<A: RowKey, B: RowKey> RowKey for (A, B) {
    fn values(&self) -> impl Iterator<Item = Value<'_>> {
        self.0.values().chain(self.1.values())
    }
}

impl RowKey for ReplyKey {
    fn values(&self) -> impl Iterator<Item = Value<'_>> {
        [&*self.actor, &*self.key].into_iter().map(Value::from)
    }
}
