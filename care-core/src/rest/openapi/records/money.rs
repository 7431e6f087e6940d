//! The records of money, in requests and in answers.

use crate::{
    model::{KeyName, Note, PaymentMethod, Receipt, RefundReason},
    rest::openapi::values::{
        node::object,
        record::{Documented, Field, Record},
        value::{Value, boolean, count, currency, date, noted, said_text, words},
    },
};

/// Returns all of them.
pub(crate) fn all() -> [Record; 8] {
    [Receipt::record(), payment(), refund(), correction(), takings(), day_takings(), method_total(), currency_method()]
}

const RECENT: &str = "15/03/2026";

pub(super) fn holder() -> Value {
    said_text(KeyName::MAX, "front desk")
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

fn signed(example: i64) -> Value {
    Value::new(object().with("type", "integer").with("format", "int64"), example)
}

pub(super) fn method_total() -> Record {
    let fields = vec![
        Field::new("currency", currency(), "The currency; absent for invoices without one."),
        method("The method."),
        Field::new("payments", count(2), "The number of payments."),
        Field::new("paid", count(8), "Their sum, in whole units."),
        Field::new("refunds", count(1), "The number of refunds."),
        Field::new("refunded", count(4), "Their sum, in whole units."),
        Field::new("moved", signed(0), "The sum that corrections moved to this method, less what they moved from it."),
        Field::new("net", signed(4), "`paid`, less `refunded`, and `moved`."),
    ];
    Record::new("MethodTotal", "The sums of one currency and method.", fields)
        .requiring(&["method", "payments", "paid", "refunds", "refunded", "moved", "net"])
}

fn currency_method() -> Record {
    let fields = vec![
        Field::new("currency", currency(), "The currency; absent for invoices without one."),
        method("The method."),
    ];
    Record::new("CurrencyMethod", "A currency and a method.", fields).requiring(&["method"])
}

/// Returns the members of the sums in a report.
fn sums() -> Vec<Field> {
    vec![
        Field::new("receipts", count(3), "The number of receipts."),
        Field::new("unpriced", count(0), "The number of those without an amount, which are in no total."),
        Field::new(
            "totals",
            method_total().nested("totals").list(),
            "By currency, those without one last, and method.",
        ),
        Field::new(
            "beyond",
            currency_method().nested("beyond").list(),
            "The currencies and methods with a sum beyond ±(2^53-1), which are in no total; absent without any.",
        )
        .aside(),
    ]
}

pub(super) fn day_takings() -> Record {
    let mut fields =
        vec![Field::new("day", date(RECENT), "The day."), Field::new("holder", holder(), "The holder of the key.")];
    fields.extend(sums());
    Record::new("DayTakings", "The takings of a holder on a day.", fields)
        .requiring(&["day", "holder", "receipts", "unpriced", "totals"])
}

pub(crate) fn takings() -> Record {
    let mut fields = vec![
        Field::new("from", date(RECENT), "The first day; absent in a report by numbers."),
        Field::new("to", date(RECENT), "The last day."),
        Field::new("above", count(0), "The number before the first receipt; absent in a report by days.").aside(),
        Field::new("upto", count(3), "The number of the last receipt.").aside(),
    ];
    fields.extend(sums());
    fields.push(Field::new("items", day_takings().nested("items").list(), "By day, and then by holder."));
    let more = "Whether there are further days or holders, which the totals include; absent when there are none.";
    fields.push(Field::new("more", boolean(true), more));
    Record::new("Takings", "The money that was taken in a range of days or receipts.", fields)
        .rooted("Takings")
        .requiring(&["receipts", "unpriced", "totals", "items"])
}
