//! The ledger of money for an accountant: one line a receipt.

use std::io;

use care_core::{
    error::Error,
    model::{Date, Receipt, ReceiptKind, Visible},
    store::ReceiptFilter,
};

use super::formulas::harmless;
use crate::admin::{
    AdminError,
    database::Database,
    terminal::{say, unwritten},
};

/// The columns of the CSV file. `from` is the method that held before a correction.
const COLUMNS: [&str; 11] =
    ["receipt", "day", "kind", "method", "amount", "currency", "invoice", "creditNote", "holder", "reason", "from"];

/// The column whose text comes from an operator: the holder.
const HOLDER: usize = 8;

/// The size of a page of receipts, in items.
const PAGE: usize = 500;

/// Prints the receipts of a period, in their order.
pub(in crate::admin) async fn takings(
    database: &Database,
    csv: bool,
    (from, to): (Option<Date>, Option<Date>),
) -> Result<(), AdminError> {
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return Err(AdminError::NoDays);
    }
    let care = database.care(&database.existing()?);
    let mut writer = csv.then(|| csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(io::stdout()));
    if let Some(writer) = &mut writer {
        writer.write_record(COLUMNS).map_err(|error| unwritten(error.into()))?;
    }
    let (filter, mut after) = (ReceiptFilter { from, to, ..ReceiptFilter::default() }, None);
    loop {
        let page = care.receipts(filter.clone(), after, PAGE).await.map_err(failed)?;
        for found in &page.items {
            match &mut writer {
                Some(writer) => {
                    let mut row = row(&found.record);
                    row[HOLDER] = harmless(&row[HOLDER]);
                    writer.write_record(row).map_err(|error| unwritten(error.into()))?;
                }
                None => print(&found.record)?,
            }
        }
        after = page.cursor();
        if after.is_none() {
            break;
        }
    }
    writer.map_or(Ok(()), |mut writer| writer.flush().map_err(unwritten))
}

fn failed(error: Error) -> AdminError {
    match error {
        Error::Store(error) => error.into(),
        // A list refuses nothing.
        _ => AdminError::Clock,
    }
}

/// Returns the amount as an accountant adds it: less than 0 for a refund, and 0 for a correction, which moves it from
/// one method to another.
fn signed(receipt: &Receipt) -> Option<i64> {
    let amount = receipt.amount.map(|amount| amount.value());
    match receipt.kind {
        ReceiptKind::Payment => amount,
        ReceiptKind::Refund => amount.map(|amount| -amount),
        ReceiptKind::Correction => Some(0),
    }
}

fn row(receipt: &Receipt) -> [String; COLUMNS.len()] {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    [
        receipt.receipt_id.to_string(),
        receipt.day.to_string(),
        receipt.kind.to_string(),
        receipt.method.to_string(),
        signed(receipt).map(|amount| amount.to_string()).unwrap_or_default(),
        text(receipt.currency.as_ref().map(|currency| currency.as_str())),
        receipt.invoice_id.to_string(),
        receipt.credit_note_id.map(|id| id.to_string()).unwrap_or_default(),
        receipt.holder.to_string(),
        text(receipt.reason.map(|reason| reason.as_str())),
        text(receipt.from_method.map(|method| method.as_str())),
    ]
}

fn print(receipt: &Receipt) -> Result<(), AdminError> {
    let [number, day, kind, method, amount, currency, invoice, note, holder, reason, from] = row(receipt);
    let currency = if currency.is_empty() { "---".to_owned() } else { currency };
    let method = if from.is_empty() { method } else { format!("{from} to {method}") };
    let note = if note.is_empty() { note } else { format!(", credit note {note}") };
    let reason = if reason.is_empty() { reason } else { format!(", {reason}") };
    say(format_args!(
        "{number:>8}  {day}  {kind:<10}  {amount:>12} {currency}  {method}, invoice {invoice}{note}, {}{reason}",
        Visible(&holder)
    ))
}
