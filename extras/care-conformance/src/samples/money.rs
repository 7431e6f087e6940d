//! Receipts and takings.

use care_core::model::{
    Currency, Date, MethodTotal, PaymentMethod, Price, Receipt, ReceiptKind, RefundReason, Takings, TakingsKey,
};

use super::{
    extremes::{Bare, Most},
    values::{credit_note_id, date, invoice_id, legal, receipt_id},
};

/// Returns the ordinary receipt of a payment.
pub fn receipt(number: i64) -> Receipt {
    Receipt {
        receipt_id: receipt_id(number),
        kind: ReceiptKind::Payment,
        invoice_id: invoice_id(number),
        method: PaymentMethod::Card,
        amount: Some(legal(Price::try_from(12))),
        currency: Some(legal(Currency::new("EUR"))),
        day: date("31/01/2026"),
        holder: "Front desk".into(),
        ..Receipt::filled(&mut Bare)
    }
}

/// Returns a receipt without optional fields, an ordinary one, a refund, a correction of the receipt with the next
/// number, and one with every field at its limit.
pub fn receipt_forms(number: i64) -> Vec<Receipt> {
    let usual = receipt(number);
    let nothing = Receipt {
        receipt_id: usual.receipt_id,
        kind: usual.kind,
        invoice_id: usual.invoice_id,
        holder: usual.holder.clone(),
        ..Receipt::filled(&mut Bare)
    };
    let refund = Receipt {
        kind: ReceiptKind::Refund,
        credit_note_id: Some(credit_note_id(number)),
        reason: Some(RefundReason::WrongEntry),
        ..usual.clone()
    };
    let correction = Receipt {
        kind: ReceiptKind::Correction,
        corrects: Some(receipt_id(number.saturating_add(1))),
        from_method: Some(PaymentMethod::Mobile),
        method: PaymentMethod::Bank,
        ..usual.clone()
    };
    let most = Receipt {
        receipt_id: usual.receipt_id,
        kind: ReceiptKind::Refund,
        corrects: None,
        ..Receipt::filled(&mut Most)
    };
    vec![nothing, usual, refund, correction, most]
}

/// Returns the identities of takings of a day: of two holders, with and without a currency.
pub fn takings_keys(day: Date) -> Vec<TakingsKey> {
    let of = |holder: &str, currency: Option<&str>| TakingsKey {
        day,
        holder: holder.into(),
        currency: currency.map(|code| legal(Currency::new(code))),
    };
    vec![
        of("Front desk", None),
        of("Front desk", Some("EUR")),
        of("Front desk", Some("KES")),
        of("\u{1f600} - 1", None),
    ]
}

/// Returns takings with one receipt without an amount, ordinary ones, and ones with the largest counts.
pub fn takings_forms(of: &TakingsKey) -> Vec<Takings> {
    let nothing = Takings { receipts: 1, unpriced: 1, ..Takings::new(of.clone()) };
    let total = |method| MethodTotal { method, payments: 2, paid: 24, refunds: 1, refunded: 12, moved: -12 };
    let usual = Takings { receipts: 5, unpriced: 0, totals: vec![total(PaymentMethod::Cash)], ..nothing.clone() };
    let largest = i64::MAX as u64;
    let full = |method| MethodTotal {
        method,
        payments: largest,
        paid: MethodTotal::MOST,
        refunds: largest,
        refunded: MethodTotal::MOST,
        moved: -MethodTotal::MOST,
    };
    let totals = PaymentMethod::ALL.iter().map(|method| full(*method)).collect();
    let most = Takings { receipts: largest, unpriced: largest, totals, ..nothing.clone() };
    vec![nothing, usual, most]
}
