//! Every unit and every amount of a clinic, kept one by one.

use std::collections::BTreeMap;

use care_core::model::{Date, InvoiceId, LotId, MovementId, PatientId, PaymentMethod, PrescriptionId};

/// The medicines with their prices and currencies. The first one is tracked, and the last one has no price.
pub(super) const MEDICINES: [(&str, Option<i64>, Option<&str>); 5] = [
    ("Zinc", Some(1500), Some("XAF")),
    ("Amoxicillin", Some(4), Some("EUR")),
    ("Ibuprofen", Some(7), Some("USD")),
    ("Gauze", Some(2), None),
    ("Advice", None, None),
];

pub(super) struct Bill {
    pub(super) prescription: PrescriptionId,
    pub(super) medicine: usize,
    /// The units of the tracked medicine.
    pub(super) quantity: i64,
    pub(super) state: State,
    /// The units that the payment took from each lot, less those that came back.
    pub(super) handed: Vec<(LotId, i64)>,
    pub(super) receipt: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Unpaid,
    Paid,
    Refunded,
    Cancelled,
}

pub(super) struct Receipt {
    pub(super) medicine: usize,
    /// The sign with which it counts in the takings; `None` for a correction, which is not corrected.
    pub(super) sign: Option<i64>,
    pub(super) method: PaymentMethod,
}

/// The state that the clinic should have.
#[derive(Default)]
pub(super) struct Recount {
    /// The patients whose day of birth is known, each with it and with the allergies.
    pub(super) people: Vec<(PatientId, Date, Option<&'static str>)>,
    pub(super) lots: BTreeMap<LotId, i64>,
    pub(super) keep_days: i64,
    pub(super) supply_units: i64,
    pub(super) is_held: bool,
    /// The prescriptions that can be invoiced: the medicine, the units, and whether they recur.
    pub(super) active: BTreeMap<PrescriptionId, (usize, i64, bool)>,
    pub(super) bills: BTreeMap<InvoiceId, Bill>,
    /// The receipts and removals that can be undone, with the units that they added.
    pub(super) undoable: Vec<(MovementId, LotId, i64)>,
    pub(super) receipts: Vec<Receipt>,
    /// The takings of the day by holder, currency and method, and the number of its receipts.
    pub(super) taken: BTreeMap<(&'static str, Option<&'static str>, &'static str), i64>,
    pub(super) today: u64,
}

impl Recount {
    pub(super) fn is_usable(&self, lot: &LotId, today: Date) -> bool {
        lot.expires.is_none_or(|expires| expires.unix_days() - self.keep_days >= today.unix_days())
    }

    pub(super) fn usable(&self, today: Date) -> i64 {
        self.lots.iter().filter(|(lot, _)| self.is_usable(lot, today)).map(|(_, units)| units).sum()
    }

    pub(super) fn unpaid(&self) -> impl Iterator<Item = (&InvoiceId, &Bill)> {
        self.bills.iter().filter(|(_, bill)| bill.state == State::Unpaid)
    }

    pub(super) fn reserved(&self) -> i64 {
        self.unpaid().map(|(_, bill)| bill.quantity).sum()
    }

    /// Returns the lots from which these units are handed out, one by one from the first usable lot.
    pub(super) fn handed_out(&self, quantity: i64, today: Date) -> Option<Vec<(LotId, i64)>> {
        let mut left = self.lots.clone();
        let mut handed: Vec<(LotId, i64)> = Vec::new();
        for _ in 0..quantity {
            let (lot, there) = left.iter_mut().find(|(lot, there)| **there > 0 && self.is_usable(lot, today))?;
            *there -= 1;
            match handed.last_mut().filter(|(last, _)| last == lot) {
                Some((_, units)) => *units += 1,
                None => handed.push((lot.clone(), 1)),
            }
        }
        Some(handed)
    }

    pub(super) fn add(&mut self, lot: &LotId, units: i64) {
        let there = self.lots.entry(lot.clone()).or_default();
        *there += units;
        assert!(*there >= 0, "below zero");
    }

    pub(super) fn take(&mut self, holder: &'static str, medicine: usize, method: PaymentMethod, sign: i64) {
        let (_, price, currency) = MEDICINES[medicine];
        if let Some(price) = price {
            *self.taken.entry((holder, currency, method.as_str())).or_default() += sign * price;
        }
    }

    /// Enters a payment (1) or a refund (-1), and returns the place of its receipt.
    pub(super) fn receipt(&mut self, holder: &'static str, medicine: usize, method: PaymentMethod, sign: i64) -> usize {
        self.take(holder, medicine, method, sign);
        self.today += 1;
        self.receipts.push(Receipt { medicine, sign: Some(sign), method });
        self.receipts.len() - 1
    }
}
