//! Questions about the records of a person, of whatever kind.

use super::{
    key::Key,
    selection::{Selection, Wanted},
    term::{Comparison, Index},
};
use crate::{
    model::{InvoiceId, PatientId},
    store::{Owner, RecordKey, RecordKind},
};

impl RecordKind {
    /// Asks for all records of the kind that are this patient's; `None` where a patient owns none.
    pub fn of_patient(self, id: PatientId) -> Option<Key> {
        self.owned_by(Self::Patient, id.value())
    }

    /// Asks for all records of the kind that are this invoice's; `None` where an invoice owns none.
    pub fn of_invoice(self, id: InvoiceId) -> Option<Key> {
        self.owned_by(Self::Invoice, id.value())
    }

    fn owned_by(self, owner: Self, number: i64) -> Option<Key> {
        let Owner { column, .. } = self.owner().filter(|of| of.kind == owner)?;
        if let [key] = self.table().key
            && key.name == column
        {
            return RecordKey::parse(self.name(), &number.to_string()).map(Key::Record);
        }
        let index = Index::beginning_with(self, column);
        let only = index.map_or(&[][..], |index| index.only);
        let rows = Selection::of(self).compared(column, Comparison::Equal, Some(number));
        let rows = only.iter().cloned().fold(rows, Selection::and);
        Some(Key::Rows(Selection { index, ..rows }, Wanted::All))
    }
}
