//! The demo clinic's cash desk.

use care_core::{
    error::{Conflict, Error},
    model::{InvoiceId, MedicineKey, PaymentMethod, PrescriptionId, RefundReason},
    service::{ExpectedVersion, NewCorrection, NewRefund},
};

use super::clinic::{Clinic, MANAGER, RECEPTION};

/// The number of days for which a pack of a regular medicine lasts.
pub(super) const PACK: i64 = 90;

/// The payments, counted over the year, that were keyed under the wrong method, given back, and taken for a wrong
/// entry.
const MISKEYED: usize = 40;
const GIVEN_BACK: usize = 60;
const WRONG: usize = 90;

/// A task for a later day.
#[derive(Debug)]
pub(super) enum Task {
    /// Issue the invoice when the medicine is dispensed.
    Bill(PrescriptionId),
    /// Take the payment of an invoice.
    Collect(InvoiceId, PrescriptionId),
    /// Receive this many units that were ordered.
    Receive(MedicineKey, i64),
    /// Take back a dispensed pack.
    TakeBack(InvoiceId),
}

impl Clinic {
    /// Issues the invoice for a medicine that is dispensed, or asks the patient to come back for it.
    pub(super) async fn bill(&mut self, prescription: PrescriptionId) -> Result<(), Error> {
        let found = match self.care.prescription(prescription).await {
            // The patient has moved away.
            Err(Error::NotFound(_)) => return Ok(()),
            found => found?.record,
        };
        if !found.is_available {
            self.later(7, Task::Bill(prescription));
            return Ok(());
        }
        let mut invoice = self.issue(prescription).await?;
        // Some invoices are issued with a mistake.
        if self.dice.one_in(25) {
            self.at_work(RECEPTION)?.cancel_invoice(invoice, ExpectedVersion::Any).await?;
            invoice = self.issue(prescription).await?;
        }
        match self.dice.roll(16) {
            // This invoice is never paid.
            0 => {}
            days @ 1..=4 => self.later(days.cast_signed() * 3, Task::Collect(invoice, prescription)),
            _ => self.collect(invoice, prescription).await?,
        }
        Ok(())
    }

    async fn issue(&mut self, prescription: PrescriptionId) -> Result<InvoiceId, Error> {
        let issued = self.at_work(RECEPTION)?.issue_invoice(prescription).await?;
        self.done.invoices += 1;
        Ok(issued.invoice.invoice_id)
    }

    /// Takes a payment and dispenses the medicine. The next pack of a regular medicine is due when this one is used up.
    /// If the medicine cannot be dispensed, the patient comes back later.
    pub(super) async fn collect(&mut self, invoice: InvoiceId, prescription: PrescriptionId) -> Result<(), Error> {
        // Every third patient pays by card.
        let method = if self.done.payments % 3 == 2 { PaymentMethod::Card } else { PaymentMethod::Cash };
        match self.at_work(RECEPTION)?.pay_invoice_by(invoice, method).await {
            Err(Error::Conflict(Conflict::InsufficientStock)) => {
                self.later(3, Task::Collect(invoice, prescription));
                return Ok(());
            }
            paid => paid?,
        };
        self.done.payments += 1;
        if self.dice.one_in(40) {
            self.later(4, Task::TakeBack(invoice));
        }
        self.put_right(invoice, method, prescription).await?;
        let paid = self.care.prescription(prescription).await?.record;
        if paid.prescription.is_regular() {
            self.later(PACK, Task::Bill(prescription));
        }
        Ok(())
    }

    /// Puts right what went wrong with a few payments, as the manager alone may.
    async fn put_right(
        &mut self,
        invoice: InvoiceId,
        keyed: PaymentMethod,
        prescription: PrescriptionId,
    ) -> Result<(), Error> {
        let reopened = NewRefund { reopen: true, restock: true, ..NewRefund::of(RefundReason::WrongEntry) };
        let refund = match self.done.payments {
            MISKEYED => {
                let method = if keyed == PaymentMethod::Cash { PaymentMethod::Card } else { PaymentMethod::Cash };
                if let Some(receipt) = self.care.invoice(invoice).await?.record.receipt_id {
                    self.at_work(MANAGER)?.correct_receipt(receipt, NewCorrection { method, note: None }).await?;
                }
                return Ok(());
            }
            GIVEN_BACK => NewRefund::of(RefundReason::Goodwill),
            WRONG => reopened,
            _ => return Ok(()),
        };
        let is_wrong = refund.reopen;
        self.at_work(MANAGER)?.refund_invoice(invoice, refund, ExpectedVersion::Any).await?;
        if is_wrong {
            let right = self.issue(prescription).await?;
            self.at_work(RECEPTION)?.pay_invoice_by(right, keyed).await?;
            self.done.payments += 1;
        }
        Ok(())
    }
}
