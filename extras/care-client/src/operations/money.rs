//! Refunds, receipts and takings.

use care_core::{
    model::{Date, InvoiceId, Receipt, ReceiptId},
    service::{NewCorrection, NewRefund},
    store::ReceiptFilter,
};
use http::Method;

use super::day;
use crate::{
    Call, CareClient, Pages, TakingsReport,
    body::{CorrectionBody, RefundBody},
};

impl CareClient {
    /// Refunds a paid invoice in full. [`Call::expecting`] names the version of the invoice.
    pub fn refund_invoice(&self, id: InvoiceId, new: &NewRefund) -> Call<Receipt> {
        let NewRefund { reason, note, method, restock, reopen } = new;
        let body =
            RefundBody { reason: *reason, note: note.as_ref(), method: *method, restock: *restock, reopen: *reopen };
        Call::new(self, "refundInvoice", Method::POST, &["invoice", &id.to_string(), "refund"]).body(&body)
    }

    /// Reads a receipt.
    pub fn receipt(&self, id: ReceiptId) -> Call<Receipt> {
        Call::new(self, "getReceipt", Method::GET, &["receipts", &id.to_string()])
    }

    /// Lists receipts, sorted by number.
    pub fn receipts(&self, filter: &ReceiptFilter) -> Pages<Receipt> {
        let (client, filter) = (self.clone(), filter.clone());
        Pages::new(move || Call::new(&client, "listReceipts", Method::GET, &["receipts"]).filter(&filter))
    }

    /// Corrects the method of a payment or a refund.
    pub fn correct_receipt(&self, id: ReceiptId, new: &NewCorrection) -> Call<Receipt> {
        let body = CorrectionBody { method: new.method, note: new.note.as_ref() };
        Call::new(self, "correctReceipt", Method::POST, &["receipts", &id.to_string(), "correction"]).body(&body)
    }

    /// Reports on the takings of a period: today unless a day is given.
    pub fn takings(&self, from: Option<Date>, to: Option<Date>, holder: Option<&str>) -> Call<TakingsReport> {
        Call::new(self, "getTakings", Method::GET, &["takings"])
            .query("from", day(from))
            .query("to", day(to))
            .query("holder", holder.map(str::to_owned))
    }

    /// Reports on the takings of the receipts above a number, up to another.
    pub fn takings_of(&self, above: Option<i64>, upto: Option<i64>, holder: Option<&str>) -> Call<TakingsReport> {
        Call::new(self, "getTakings", Method::GET, &["takings"])
            .query("above", above.map(|number| number.to_string()))
            .query("upto", upto.map(|number| number.to_string()))
            .query("holder", holder.map(str::to_owned))
    }
}
