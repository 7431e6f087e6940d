//! The records of money, in requests and in answers.

use crate::{
    model::{Currency, MethodTotal, Note, PaymentMethod, Receipt, RefundReason},
    rest::openapi::values::{
        record::{Documented, Field, Record},
        value::{Value, boolean, noted, words},
    },
    service::{CurrencyMethod, CurrencyTotal, DayTakings},
    wire::TakingsReport,
};

/// Returns all of them.
pub(crate) fn all() -> [Record; 8] {
    [
        Receipt::record(),
        payment(),
        refund(),
        correction(),
        TakingsReport::record(),
        DayTakings::record(),
        CurrencyTotal::record(),
        CurrencyMethod::record(),
    ]
}

fn method(meaning: &'static str) -> Field {
    Field::new("method", words(PaymentMethod::ALL.iter().copied()), meaning)
}

fn reason() -> Field {
    Field::new("reason", words(RefundReason::ALL.iter().copied()), "The reason; `other` needs a note.")
}

fn note() -> Field {
    Field::new("note", noted(Note::MAX, "paid twice"), "A note.")
}

pub(crate) fn payment() -> Record {
    let fields = vec![method("The method, cash unless given.")];
    Record::new("PaymentInput", "A payment. The body may be left out.", fields).rooted("Payment").input()
}

pub(crate) fn refund() -> Record {
    let fields = vec![
        reason(),
        note(),
        method("The method, that of the payment as corrected unless given."),
        Field::new("restock", boolean(false), "Whether the units that are still out come back, into their lots."),
        Field::new("reopen", boolean(true), "Whether the prescription can be invoiced again; not for a regular one."),
    ];
    Record::new("RefundInput", "A refund in full.", fields).rooted("Refund").requiring(&["reason"]).input()
}

pub(crate) fn correction() -> Record {
    let method = method("The method that should have been keyed.").into_value();
    let method = Value { example: PaymentMethod::Card.as_str().into(), ..method };
    let fields = vec![Field::new("method", method, "The method that should have been keyed."), note()];
    Record::new("CorrectionInput", "The correction of a method.", fields)
        .rooted("Correction")
        .requiring(&["method"])
        .input()
}

impl Documented for CurrencyTotal {
    fn members() -> Vec<Field> {
        let currency = Field::of::<Currency>("currency", "The currency; absent for invoices without one.");
        let net = Field::of::<i64>("net", "`paid`, less `refunded`, and `moved`.").example(4_i64).required();
        std::iter::once(currency).chain(MethodTotal::members()).chain([net]).collect()
    }

    fn record() -> Record {
        Record::new("MethodTotal", "The sums of one currency and method.", Self::members())
    }
}
