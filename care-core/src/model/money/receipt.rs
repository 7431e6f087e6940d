//! Receipts: the ledger of money.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{CreditNoteId, Currency, Date, Invalid, InvoiceId, Note, Price, ReceiptId, values::words::words};

/// A line of the ledger of money: a payment, a refund, or the correction of a method.
///
/// A receipt is never changed and never removed, but for a note that an erasure takes (money.md, 2).
///
/// ```json
/// {"receiptId":8,"kind":"refund","invoiceId":3,"creditNoteId":1,"method":"cash","amount":450,"currency":"KES","day":"15/03/2026","holder":"desk","reason":"wrongEntry"}
/// ```
/// ```xml
/// <Receipt><receiptId>8</receiptId><kind>refund</kind><invoiceId>3</invoiceId>…</Receipt>
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "receipt", key(receipt_id), document = "Receipt", root = "Receipt")]
#[record(answered(receipts, receipt_id), owner(invoice = invoice_id, on_void = keep))]
pub struct Receipt {
    /// The number of the receipt. The series has no gaps.
    #[field(example = 8)]
    pub receipt_id: ReceiptId,
    /// The kind of the receipt.
    #[field(kept, example = "refund")]
    pub kind: ReceiptKind,
    /// The invoice that was paid or refunded.
    #[field(kept)]
    pub invoice_id: InvoiceId,
    /// The number of the credit note of a refund. The series has no gaps.
    #[field(kept)]
    pub credit_note_id: Option<CreditNoteId>,
    /// The payment or refund whose method a correction corrects.
    #[field(kept, aside, example = 7)]
    pub corrects: Option<ReceiptId>,
    /// The method of the payment or the refund; of a correction the one that holds from then on.
    #[field(kept)]
    pub method: PaymentMethod,
    /// The method that held before a correction.
    #[field(kept, aside, name = "from")]
    pub from_method: Option<PaymentMethod>,
    /// The amount of the invoice in whole units of the currency; absent where it has none.
    #[field(kept)]
    pub amount: Option<Price>,
    /// The currency of the invoice; absent where it has none.
    #[field(kept)]
    pub currency: Option<Currency>,
    /// The facility's day of the receipt.
    #[field(kept, example = "15/03/2026")]
    pub day: Date,
    /// The holder of the key: the actor of the journal entry.
    #[field(kept, example = "front desk")]
    pub holder: Box<str>,
    /// The reason of a refund; `other` needs a note.
    #[field(kept)]
    pub reason: Option<RefundReason>,
    /// A note of a refund or a correction.
    #[field(personal, example = "paid twice")]
    pub note: Option<Note>,
}

/// The kind of a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReceiptKind {
    /// An invoice was paid.
    Payment,
    /// A paid invoice was refunded in full.
    Refund,
    /// The method of a payment or a refund was keyed wrongly.
    Correction,
}

/// The way in which money changes hands. Methods are ordered as they stand here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PaymentMethod {
    /// Notes and coins, which a payment is meant to be unless it says otherwise.
    #[default]
    Cash,
    /// A card.
    Card,
    /// Mobile money.
    Mobile,
    /// A bank transfer.
    Bank,
    /// Another way.
    Other,
}

/// The reason of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RefundReason {
    /// The wrong invoice was paid.
    WrongEntry,
    /// The medicine came back.
    Returned,
    /// The medicine was not handed out.
    NotSupplied,
    /// It was paid elsewhere already.
    Duplicate,
    /// The facility gives the money back of its own will.
    Goodwill,
    /// Another reason, which the note gives.
    Other,
}

words!(
    ReceiptKind, "must be payment, refund or correction",
    "payment" => Payment, "refund" => Refund, "correction" => Correction
);
words!(
    PaymentMethod, "must be cash, card, mobile, bank or other",
    "cash" => Cash, "card" => Card, "mobile" => Mobile, "bank" => Bank, "other" => Other
);
words!(
    RefundReason, "must be wrongEntry, returned, notSupplied, duplicate, goodwill or other",
    "wrongEntry" => WrongEntry, "returned" => Returned, "notSupplied" => NotSupplied, "duplicate" => Duplicate,
    "goodwill" => Goodwill, "other" => Other
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_reads_back_as_it_is_written() {
        let text = concat!(
            r#"{"receiptId":9,"kind":"correction","invoiceId":3,"corrects":8,"method":"card","from":"cash","#,
            r#""amount":450,"currency":"KES","day":"01/02/2026","holder":"desk","note":"keyed wrongly"}"#
        );
        let receipt: Receipt = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&receipt).unwrap(), text);
    }

    #[test]
    fn words_read_back() {
        for kind in ReceiptKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        for method in PaymentMethod::ALL {
            assert_eq!(serde_json::to_value(method).unwrap(), method.as_str());
        }
        for reason in RefundReason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
        }
    }
}
