//! The takings of each holder on a day, counted.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{Currency, Date, PaymentMethod, Receipt, ReceiptKind};

/// The receipts of a holder on one day in one currency, counted. Every receipt updates the one that it belongs to, so
/// that a report over a year reads no receipt.
///
/// The currencies of a day are apart, so that a receipt writes five methods at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Takings {
    /// The day, the holder and the currency.
    #[serde(flatten)]
    pub of: TakingsKey,
    /// The number of receipts.
    pub receipts: u64,
    /// The number of those without an amount, which are in no total.
    pub unpriced: u64,
    /// The totals, by method.
    pub totals: Vec<MethodTotal>,
}

/// A day, a holder and a currency. Takings are ordered by them, those without a currency first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TakingsKey {
    /// The day.
    pub day: Date,
    /// The holder of the key.
    pub holder: Box<str>,
    /// The currency; `None` for invoices without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
}

/// The sums of one method, in whole units of the currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[record(document = "MethodTotal")]
pub struct MethodTotal {
    /// The method.
    pub method: PaymentMethod,
    /// The number of payments.
    #[field(example = 2)]
    pub payments: u64,
    /// Their sum.
    #[field(like = u64, example = 8)]
    pub paid: i64,
    /// The number of refunds.
    #[field(example = 1)]
    pub refunds: u64,
    /// Their sum.
    #[field(like = u64, example = 4)]
    pub refunded: i64,
    /// The sum of what corrections moved to this method, less what they moved from it.
    #[field(example = 0)]
    pub moved: i64,
}

/// The error for a sum that would leave the range of exact numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakingsFull;

impl TakingsKey {
    /// Returns the takings that a receipt belongs to.
    pub fn of(receipt: &Receipt) -> Self {
        Self { day: receipt.day, holder: receipt.holder.clone(), currency: receipt.currency }
    }
}

impl Takings {
    /// Returns takings without receipts.
    pub const fn new(of: TakingsKey) -> Self {
        Self { of, receipts: 0, unpriced: 0, totals: Vec::new() }
    }

    /// Counts a receipt. `corrected` is the kind of the receipt that a correction corrects: its amount moves the other
    /// way round for a refund.
    ///
    /// # Errors
    /// [`TakingsFull`] when a sum would leave the range of exact numbers. The takings are then unchanged.
    pub fn count(&mut self, receipt: &Receipt, corrected: Option<ReceiptKind>) -> Result<(), TakingsFull> {
        let mut totals = self.totals.clone();
        MethodTotal::of(receipt, corrected).try_for_each(|total| merge(&mut totals, total))?;
        self.totals = totals;
        self.receipts += 1;
        self.unpriced += u64::from(receipt.amount.is_none());
        Ok(())
    }
}

impl MethodTotal {
    /// The largest sum, and with a minus sign the smallest: 2^53-1.
    pub const MOST: i64 = (1 << 53) - 1;

    const fn none(method: PaymentMethod) -> Self {
        Self { method, payments: 0, paid: 0, refunds: 0, refunded: 0, moved: 0 }
    }

    /// Returns what a receipt adds: to its method, and for a correction to the method before it as well. One without an
    /// amount adds nothing. `corrected` is the kind of the receipt that a correction corrects.
    pub(crate) fn of(receipt: &Receipt, corrected: Option<ReceiptKind>) -> impl Iterator<Item = Self> {
        let none = Self::none(receipt.method);
        let both = receipt.amount.map(|amount| match (receipt.kind, amount.value()) {
            (ReceiptKind::Payment, paid) => [Some(Self { payments: 1, paid, ..none }), None],
            (ReceiptKind::Refund, refunded) => [Some(Self { refunds: 1, refunded, ..none }), None],
            (ReceiptKind::Correction, amount) => {
                let moved = if corrected == Some(ReceiptKind::Refund) { -amount } else { amount };
                let from = receipt.from_method.map(|from| Self { moved: -moved, ..Self::none(from) });
                [Some(Self { moved, ..none }), from]
            }
        });
        both.into_iter().flatten().flatten()
    }

    /// Returns what is left: paid, less refunded, and what corrections moved.
    pub const fn net(self) -> i64 {
        self.paid - self.refunded + self.moved
    }

    /// Adds the sums of the same method.
    ///
    /// # Errors
    /// [`TakingsFull`] when one would leave the range of exact numbers.
    pub fn plus(self, other: Self) -> Result<Self, TakingsFull> {
        let sum = Self {
            method: self.method,
            payments: self.payments + other.payments,
            paid: self.paid + other.paid,
            refunds: self.refunds + other.refunds,
            refunded: self.refunded + other.refunded,
            moved: self.moved + other.moved,
        };
        let sums = [sum.paid, sum.refunded, sum.moved, sum.net()];
        if sums.iter().all(|sum| (-Self::MOST..=Self::MOST).contains(sum)) { Ok(sum) } else { Err(TakingsFull) }
    }
}

/// Adds a total to those of its methods, which stay ordered.
pub(crate) fn merge(totals: &mut Vec<MethodTotal>, more: MethodTotal) -> Result<(), TakingsFull> {
    match totals.binary_search_by_key(&more.method, |total| total.method) {
        Ok(place) => totals[place] = totals[place].plus(more)?,
        Err(place) => totals.insert(place, more.plus(MethodTotal::none(more.method))?),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt(text: &str) -> Receipt {
        let text = format!(r#"{{"receiptId":1,"invoiceId":1,"day":"01/02/2026","holder":"desk",{text}}}"#);
        serde_json::from_str(&text).unwrap()
    }

    fn counted(receipts: &[(&str, Option<ReceiptKind>)]) -> Result<Takings, TakingsFull> {
        let key = TakingsKey::of(&receipt(r#""kind":"payment","method":"cash""#));
        let mut takings = Takings::new(key);
        for (text, corrected) in receipts {
            takings.count(&receipt(text), *corrected)?;
        }
        Ok(takings)
    }

    const PAID: &str = r#""kind":"payment","method":"cash","amount":30"#;
    const REFUNDED: &str = r#""kind":"refund","method":"cash","amount":30"#;
    const CORRECTED: &str = r#""kind":"correction","method":"card","from":"cash","amount":30"#;

    fn nets(takings: &Takings) -> Vec<(&'static str, i64)> {
        takings.totals.iter().map(|total| (total.method.as_str(), total.net())).collect()
    }

    #[test]
    fn a_correction_moves_its_amount_and_the_other_way_round_for_a_refund() {
        let paid = counted(&[(PAID, None), (CORRECTED, Some(ReceiptKind::Payment))]).unwrap();
        assert_eq!(nets(&paid), [("cash", 0), ("card", 30)]);
        let refunded = counted(&[(PAID, None), (REFUNDED, None), (CORRECTED, Some(ReceiptKind::Refund))]).unwrap();
        assert_eq!(nets(&refunded), [("cash", 30), ("card", -30)]);
        assert_eq!(refunded.receipts, 3);
    }

    #[test]
    fn a_receipt_without_an_amount_is_in_no_total() {
        let takings = counted(&[(r#""kind":"payment","method":"bank""#, None)]).unwrap();
        assert_eq!((takings.receipts, takings.unpriced, takings.totals.len()), (1, 1, 0));
    }

    #[test]
    fn sums_stay_exact() {
        let most = r#""kind":"payment","method":"cash","amount":9007199254740991"#;
        assert!(counted(&[(most, None)]).is_ok());
        assert_eq!(counted(&[(most, None), (PAID, None)]), Err(TakingsFull));
        assert!(counted(&[(most, None), (REFUNDED, None)]).is_ok());
    }
}
