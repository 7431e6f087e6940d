//! The ledger of money, and what is counted of it.

use std::collections::BTreeMap;

use super::{bills::Bills, numbers::Numbers};
use crate::{
    audit::contradiction::{Contradiction, What, require, require_of},
    model::{
        Currency, Date, Invoice, InvoiceId, MethodTotal, PaymentMethod, Price, Receipt, ReceiptId, ReceiptKind,
        Takings, TakingsKey, Timestamp,
    },
    store::{Entry, Record, RecordKey, Series},
};

#[derive(Debug, Default)]
pub(super) struct Receipts {
    held: BTreeMap<ReceiptId, ReceiptFacts>,
    /// The takings that follow from the receipts.
    takings: BTreeMap<TakingsKey, Recount>,
    /// The receipts that this entry writes.
    made: Vec<Receipt>,
    /// The actor and the time of this entry.
    actor: Box<str>,
    at: Option<Timestamp>,
}

/// The receipts of takings, counted again, in a way of its own.
#[derive(Debug, Default)]
struct Recount {
    receipts: u64,
    unpriced: u64,
    /// Of each method the payments and their sum, the refunds and their sum, and what corrections moved to it.
    methods: BTreeMap<PaymentMethod, [i128; 5]>,
}

/// The fields of a payment or a refund that the rules use.
#[derive(Debug)]
struct ReceiptFacts {
    kind: ReceiptKind,
    /// The method that holds, after all corrections.
    method: PaymentMethod,
    invoice_id: InvoiceId,
    amount: Option<Price>,
    currency: Option<Currency>,
}

impl Receipts {
    /// Begins an entry.
    pub(super) fn begin(&mut self, entry: &Entry) {
        self.actor = Box::from(&*entry.actor);
        self.at = Some(entry.at);
    }

    /// Checks a new receipt.
    pub(super) fn enter(&mut self, receipt: &Receipt, numbers: &mut Numbers) -> Result<(), What> {
        numbers.give(Series::Receipt, receipt.receipt_id.value())?;
        if let Some(note) = receipt.credit_note_id {
            numbers.give(Series::CreditNote, note.value())?;
        }
        require(is_well_formed(receipt), "has members that its kind has not, or lacks some that it has")?;
        require(receipt.holder == self.actor, "holder is not the actor of its entry")?;
        let is_near = self.at.is_some_and(|at| is_near(receipt.day, at));
        require(is_near, "day is more than a day away from its entry")?;
        let corrected = self.correct(receipt)?;
        let key = TakingsKey::of(receipt);
        let takings = self.takings.entry(key.clone()).or_default();
        takings.count(receipt, corrected);
        takings.due(&key).ok_or("leads to takings that are too large")?;
        self.made.push(receipt.clone());
        Ok(())
    }

    /// Notes the method that holds from a receipt on, and returns the kind of the receipt that a correction corrects.
    fn correct(&mut self, receipt: &Receipt) -> Result<Option<ReceiptKind>, What> {
        let Receipt { kind, method, invoice_id, amount, currency, .. } = *receipt;
        let Some(id) = receipt.corrects else {
            self.held.insert(receipt.receipt_id, ReceiptFacts { kind, method, invoice_id, amount, currency });
            return Ok(None);
        };
        let held = self.held.get_mut(&id).ok_or("corrects what is no payment and no refund")?;
        let is_same = (held.invoice_id, held.amount, held.currency) == (invoice_id, amount, currency);
        require(is_same, "is of another invoice or amount than what it corrects")?;
        let is_another = receipt.from_method == Some(held.method) && receipt.method != held.method;
        require(is_another, "from is not the method that held before, or is the one that holds now")?;
        held.method = receipt.method;
        Ok(Some(held.kind))
    }

    /// Returns the takings that are due; `None` for none.
    pub(super) fn takings(&self, of: &TakingsKey) -> Option<Record> {
        Some(self.takings.get(of)?.due(of)?.into())
    }

    /// Checks the complete entry.
    pub(super) fn end(&mut self, bills: &Bills) -> Result<(), Contradiction> {
        self.stand(ReceiptKind::Payment, bills.paid())?;
        self.stand(ReceiptKind::Refund, bills.refunded())?;
        self.made.clear();
        Ok(())
    }

    /// Compares the receipts of a kind with the invoices that the entry pays or refunds: one each, with its amount.
    fn stand(&self, kind: ReceiptKind, invoices: &[Invoice]) -> Result<(), Contradiction> {
        let mut open: BTreeMap<InvoiceId, &Invoice> =
            invoices.iter().map(|invoice| (invoice.invoice_id, invoice)).collect();
        for receipt in self.made.iter().filter(|receipt| receipt.kind == kind) {
            let is_of = |invoice: &Invoice| {
                let numbered = match kind {
                    ReceiptKind::Refund => invoice.credit_note_id == receipt.credit_note_id,
                    _ => invoice.receipt_id == Some(receipt.receipt_id),
                };
                numbered && (invoice.price, invoice.currency) == (receipt.amount, receipt.currency)
            };
            let what = "is not the one receipt of an invoice that its entry pays or refunds, or not of its amount";
            let is_one = open.remove(&receipt.invoice_id).is_some_and(is_of);
            require_of(is_one, || RecordKey::Receipt(receipt.receipt_id), what)?;
        }
        match open.pop_first() {
            Some((id, _)) => {
                Err(Contradiction::of(RecordKey::Invoice(id), "is paid or refunded, but its entry has no receipt"))
            }
            None => Ok(()),
        }
    }
}

impl Recount {
    /// Counts a receipt. `corrected` is the kind of the receipt that a correction corrects.
    fn count(&mut self, receipt: &Receipt, corrected: Option<ReceiptKind>) {
        self.receipts += 1;
        let Some(amount) = receipt.amount.map(|amount| i128::from(amount.value())) else {
            self.unpriced += 1;
            return;
        };
        // The money of a payment came in by the method that holds now; that of a refund went out by it.
        let moved = if corrected == Some(ReceiptKind::Refund) { -amount } else { amount };
        let from = receipt.from_method.filter(|_| receipt.kind == ReceiptKind::Correction);
        let counted = match receipt.kind {
            ReceiptKind::Payment => [1, amount, 0, 0, 0],
            ReceiptKind::Refund => [0, 0, 1, amount, 0],
            ReceiptKind::Correction => [0, 0, 0, 0, moved],
        };
        let both = [(receipt.method, counted)].into_iter().chain(from.map(|from| (from, [0, 0, 0, 0, -moved])));
        for (method, counted) in both {
            let sums = self.methods.entry(method).or_default();
            sums.iter_mut().zip(counted).for_each(|(sum, by)| *sum += by);
        }
    }

    /// Returns the takings as they should be written; `None` when a sum is beyond the range of exact numbers.
    fn due(&self, of: &TakingsKey) -> Option<Takings> {
        let exact = |sum: i128| i64::try_from(sum).ok().filter(|sum| sum.unsigned_abs() < 1 << 53);
        let total = |(method, sums): (&PaymentMethod, &[i128; 5])| {
            let [payments, paid, refunds, refunded, moved] = *sums;
            exact(paid - refunded + moved)?;
            let [payments, refunds] = [payments, refunds].map(u64::try_from);
            let (paid, refunded, moved) = (exact(paid)?, exact(refunded)?, exact(moved)?);
            Some(MethodTotal {
                method: *method,
                payments: payments.ok()?,
                paid,
                refunds: refunds.ok()?,
                refunded,
                moved,
            })
        };
        let totals = self.methods.iter().map(total).collect::<Option<_>>()?;
        Some(Takings { of: of.clone(), receipts: self.receipts, unpriced: self.unpriced, totals })
    }
}

/// Returns whether a receipt has exactly the members of its kind.
fn is_well_formed(receipt: &Receipt) -> bool {
    let Receipt { kind, credit_note_id, corrects, from_method, reason, note, .. } = receipt;
    let is_correction = *kind == ReceiptKind::Correction;
    let is_refund = *kind == ReceiptKind::Refund;
    credit_note_id.is_some() == is_refund
        && reason.is_some() == is_refund
        && corrects.is_some() == is_correction
        && from_method.is_some() == is_correction
        && (note.is_none() || is_refund || is_correction)
}

/// Returns whether a day is that of an instant somewhere on Earth: its day in UTC, or the day before or after.
fn is_near(day: Date, at: Timestamp) -> bool {
    let utc = at.unix_millis().div_euclid(24 * 60 * 60 * 1000);
    (utc - 1..=utc + 1).contains(&day.unix_days())
}
