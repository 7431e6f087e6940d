//! The identifiers of records, as the values of their table's primary key.

use care_core::{
    model::{ConsultationId, Date, InvoiceId, MedicineKey, MovementId, PatientId, PrescriptionId},
    store::{ReplyKey, Series},
};

use super::Values;
use crate::error::Fault;

/// The identifier of a record in its table.
pub(crate) trait RowKey {
    /// Writes the values of the key's columns, in the table's order.
    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault>;
}

macro_rules! numbers {
    ($($id:ty)*) => {
        $(impl RowKey for $id {
            fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault> {
                values.put(self.value())
            }
        })*
    };
}

numbers! { PatientId ConsultationId PrescriptionId InvoiceId MovementId }

impl RowKey for MedicineKey {
    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault> {
        values.put(self.as_str())
    }
}

impl RowKey for Date {
    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault> {
        values.put(self.unix_days())
    }
}

impl<A: RowKey, B: RowKey> RowKey for (A, B) {
    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault> {
        self.0.write(values)?;
        self.1.write(values)
    }
}

impl RowKey for Series {
    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault> {
        values.put(self.as_str())
    }
}

impl RowKey for ReplyKey {
    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault> {
        values.put(&*self.actor)?;
        values.put(&*self.key)
    }
}
