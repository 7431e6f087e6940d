//! Invoices.

use std::collections::{BTreeMap, btree_map::Entry};

use sha2::{Digest, Sha256};

use super::prescriptions::Prescriptions;
use crate::{
    audit::contradiction::{Contradiction, What, require, require_of},
    model::{
        Invoice, InvoiceId, InvoiceState, MedicineKey, MedicineName, PatientId, PrescriptionId, ReceiptId, ShortText,
    },
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
    /// The invoices that this entry refunds.
    refunded: Vec<Invoice>,
    /// The paid invoices of each patient and of each prescription that were not refunded, by receipt.
    standing: BTreeMap<PatientId, BTreeMap<ReceiptId, Standing>>,
    standing_of: BTreeMap<PrescriptionId, u64>,
}

/// The parts of a paid invoice that outlive its payment.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    pub(super) medicine: MedicineName,
    pub(super) dosage: Option<ShortText>,
    /// A digest of the invoice, which may not change when it is refunded.
    digest: [u8; 32],
}

impl Bills {
    /// Returns the invoices that were refunded in this entry.
    pub(super) fn refunded(&self) -> &[Invoice] {
        &self.refunded
    }

    /// Returns the payment of a patient that still stands and has the highest receipt.
    pub(super) fn last_of(&self, patient: PatientId) -> Option<&Standing> {
        self.standing.get(&patient)?.values().next_back()
    }

    /// Returns whether a payment of this prescription stands.
    pub(super) fn stands_for(&self, id: PrescriptionId) -> bool {
        self.standing_of.contains_key(&id)
    }

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
                let paid = Invoice { state: InvoiceState::Paid, receipt_id: invoice.receipt_id, ..issued };
                require(paid == *invoice, "is paid, but it is not as it was issued")?;
                self.stand(invoice, invoice.receipt_id.ok_or("is paid, but has no receipt")?)
            }
            (InvoiceState::Refunded, None) => self.refund(invoice),
            (InvoiceState::Refunded, Some(_)) => Err("is refunded, but it was not paid before"),
            (InvoiceState::Paid, None) => Err("is paid, but it was not unpaid before"),
            (InvoiceState::Unpaid, Some(_)) => Err("is changed after it was issued"),
            (InvoiceState::Unpaid, None) => {
                let is_of_it = prescriptions.get(of).is_some_and(|held| {
                    let is_same = held.medicine.key() == invoice.medicine.key();
                    held.is_active && held.patient_id == invoice.patient_id && is_same
                });
                require(is_of_it, "is not of an active prescription of its patient and medicine")?;
                self.unpaid.insert(id, invoice.clone());
                self.reserve(invoice, 1);
                let is_only = self.unpaid_of.insert(of, id).is_none();
                require(is_only, "is unpaid beside another one of its prescription")
            }
        }
    }

    /// Notes a payment, which stands until it is refunded.
    fn stand(&mut self, invoice: &Invoice, receipt: ReceiptId) -> Result<(), What> {
        let Invoice { medicine, dosage, .. } = invoice.clone();
        let paid = Standing { medicine, dosage, digest: digest(invoice) };
        *self.standing_of.entry(invoice.prescription_id).or_default() += 1;
        let other = self.standing.entry(invoice.patient_id).or_default().insert(receipt, paid);
        require(other.is_none(), "is paid, but its receipt is that of another invoice")
    }

    /// Takes a refunded invoice from those that stand.
    fn refund(&mut self, invoice: &Invoice) -> Result<(), What> {
        const WRONG: What = "is refunded, but it is not as it was paid";
        let paid = Invoice { state: InvoiceState::Paid, credit_note_id: None, ..invoice.clone() };
        let of_patient = self.standing.get_mut(&invoice.patient_id).ok_or(WRONG)?;
        let stood = invoice.receipt_id.and_then(|receipt| of_patient.remove(&receipt)).ok_or(WRONG)?;
        if of_patient.is_empty() {
            self.standing.remove(&invoice.patient_id);
        }
        if let Entry::Occupied(mut standing) = self.standing_of.entry(invoice.prescription_id) {
            *standing.get_mut() -= 1;
            if *standing.get() == 0 {
                standing.remove();
            }
        }
        self.refunded.push(invoice.clone());
        require(invoice.credit_note_id.is_some() && stood.digest == digest(&paid), WRONG)
    }

    /// Removes an invoice, and returns its prescription.
    pub(super) fn cancel(&mut self, id: InvoiceId) -> Result<PrescriptionId, What> {
        let issued = self.unpaid.remove(&id).ok_or("is cancelled, but it is not unpaid")?;
        self.unpaid_of.remove(&issued.prescription_id);
        self.reserve(&issued, -1);
        Ok(issued.prescription_id)
    }

    pub(super) fn end(&mut self) {
        self.paid.clear();
        self.refunded.clear();
    }

    pub(super) fn close(&self, prescriptions: &Prescriptions) -> Result<(), Contradiction> {
        self.unpaid_of.iter().try_for_each(|(of, id)| {
            let is_active = prescriptions.get(*of).is_some_and(|held| held.is_active);
            require_of(is_active, || RecordKey::Invoice(*id), "is unpaid, but its prescription is not active")
        })
    }
}

/// Returns a digest of an invoice, as which the audit keeps it.
fn digest(invoice: &Invoice) -> [u8; 32] {
    let json = serde_json::to_vec(invoice).unwrap_or_default();
    Sha256::digest(json).into()
}
