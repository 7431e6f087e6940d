//! Invoices.

use std::collections::BTreeMap;

use super::{Contradiction, What, prescriptions::Prescriptions};
use crate::{
    model::{Invoice, InvoiceId, InvoiceState, MedicineKey, PrescriptionId},
    store::RecordKey,
};

#[derive(Debug, Default)]
pub(super) struct Bills {
    unpaid: BTreeMap<InvoiceId, Invoice>,
    unpaid_of: BTreeMap<PrescriptionId, InvoiceId>,
    /// The units of each medicine that unpaid invoices reserve.
    reserved: BTreeMap<MedicineKey, i64>,
    /// The invoices that this entry pays.
    paid: Vec<Invoice>,
}

impl Bills {
    /// Returns the invoices that were paid in this entry.
    pub(super) fn paid(&self) -> &[Invoice] {
        &self.paid
    }

    /// Returns whether an invoice of this prescription is unpaid.
    pub(super) fn waits_for(&self, id: PrescriptionId) -> bool {
        self.unpaid_of.contains_key(&id)
    }

    /// Returns the units of a medicine that unpaid invoices reserve.
    pub(super) fn reserved(&self, medicine: &MedicineKey) -> i64 {
        self.reserved.get(medicine).copied().unwrap_or_default()
    }

    fn reserve(&mut self, invoice: &Invoice, sign: i64) {
        if let Some(quantity) = invoice.quantity {
            *self.reserved.entry(invoice.medicine.key().clone()).or_default() += sign * quantity.value();
        }
    }

    pub(super) fn put(&mut self, invoice: &Invoice, prescriptions: &Prescriptions) -> Result<(), What> {
        let (id, of) = (invoice.invoice_id, invoice.prescription_id);
        match (invoice.state, self.unpaid.remove(&id)) {
            (InvoiceState::Paid, Some(issued)) => {
                self.unpaid_of.remove(&of);
                self.reserve(&issued, -1);
                self.paid.push(invoice.clone());
                let paid = Invoice { state: InvoiceState::Paid, ..issued };
                if paid != *invoice {
                    return Err("is paid, but it is not as it was issued");
                }
                Ok(())
            }
            (InvoiceState::Paid, None) => Err("is paid, but it was not unpaid before"),
            (InvoiceState::Unpaid, Some(_)) => Err("is changed after it was issued"),
            (InvoiceState::Unpaid, None) => {
                let is_of_it = prescriptions.get(of).is_some_and(|held| {
                    held.is_active && held.patient_id == invoice.patient_id && held.medicine == *invoice.medicine.key()
                });
                if !is_of_it {
                    return Err("is not of an active prescription of its patient and medicine");
                }
                self.unpaid.insert(id, invoice.clone());
                self.reserve(invoice, 1);
                match self.unpaid_of.insert(of, id) {
                    Some(_) => Err("is unpaid beside another one of its prescription"),
                    None => Ok(()),
                }
            }
        }
    }

    /// Removes an invoice, and returns its prescription.
    pub(super) fn cancel(&mut self, id: InvoiceId) -> Result<PrescriptionId, What> {
        match self.unpaid.remove(&id) {
            Some(issued) => {
                self.unpaid_of.remove(&issued.prescription_id);
                self.reserve(&issued, -1);
                Ok(issued.prescription_id)
            }
            None => Err("is cancelled, but it is not unpaid"),
        }
    }

    pub(super) fn end(&mut self) {
        self.paid.clear();
    }

    pub(super) fn close(&self, prescriptions: &Prescriptions) -> Result<(), Contradiction> {
        let is_active = |of: &PrescriptionId| prescriptions.get(*of).is_some_and(|p| p.is_active);
        match self.unpaid_of.iter().find(|(of, _)| !is_active(of)) {
            Some((_, id)) => {
                Err(Contradiction::of(RecordKey::Invoice(*id), "is unpaid, but its prescription is not active"))
            }
            None => Ok(()),
        }
    }
}
