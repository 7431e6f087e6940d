//! The demo clinic's cash desk.

use care_core::{
    error::Error,
    model::{InvoiceId, PrescriptionId},
    service::ExpectedVersion,
};

use super::clinic::{Clinic, RECEPTION};

/// The number of days for which a pack of a regular medicine lasts.
const PACK: i64 = 90;

/// A task for a later day.
#[derive(Debug)]
pub(super) enum Task {
    /// Issues the invoice when the medicine is handed out.
    Bill(PrescriptionId),
    /// Takes the payment of an invoice.
    Collect(InvoiceId, PrescriptionId),
}

impl Clinic {
    /// Issues the invoice of a medicine that is handed out, or asks the patient to come back for it.
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
        // Sometimes the invoice is made out wrongly.
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

    /// Takes a payment. The next pack of a regular medicine is due when this one is used up.
    pub(super) async fn collect(&mut self, invoice: InvoiceId, prescription: PrescriptionId) -> Result<(), Error> {
        self.at_work(RECEPTION)?.pay_invoice(invoice).await?;
        self.done.payments += 1;
        let paid = self.care.prescription(prescription).await?.record;
        if paid.prescription.is_regular() {
            self.later(PACK, Task::Bill(prescription));
        }
        Ok(())
    }
}
