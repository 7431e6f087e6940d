//! Invoices.

use care_core::{
    model::{InvoiceId, PatientHistory, PaymentMethod, PrescriptionId},
    store::InvoiceFilter,
};
use http::Method;

use crate::{Call, CareClient, Invoice, Pages, body::PaymentBody};

impl CareClient {
    /// Issues the invoice for a prescription, or returns the unpaid one that already exists.
    /// [`Answer::number`](crate::Answer::number) is the invoice's number.
    pub fn issue_invoice(&self, id: PrescriptionId) -> Call<Invoice> {
        Call::new(self, "issueInvoice", Method::POST, &["prescriptions", &id.to_string(), "invoice"])
    }

    /// Reads an invoice.
    pub fn invoice(&self, id: InvoiceId) -> Call<Invoice> {
        Call::new(self, "getInvoice", Method::GET, &["invoice", &id.to_string()])
    }

    /// Lists invoices, sorted by number; the newest first if the filter says so.
    pub fn invoices(&self, filter: &InvoiceFilter) -> Pages<Invoice> {
        let (client, filter) = (self.clone(), filter.clone());
        Pages::new(move || Call::new(&client, "listInvoices", Method::GET, &["invoice"]).filter(&filter))
    }

    /// Pays an invoice, which completes the flow. Answers with the patient's updated history.
    pub fn pay_invoice(&self, id: InvoiceId) -> Call<PatientHistory> {
        Call::new(self, "payInvoice", Method::POST, &["invoice", &id.to_string(), "payment"])
    }

    /// Pays an invoice by a method.
    pub fn pay_invoice_by(&self, id: InvoiceId, method: PaymentMethod) -> Call<PatientHistory> {
        self.pay_invoice(id).body(&PaymentBody { method })
    }

    /// Cancels an unpaid invoice.
    pub fn cancel_invoice(&self, id: InvoiceId) -> Call<()> {
        Call::new(self, "cancelInvoice", Method::DELETE, &["invoice", &id.to_string()])
    }
}
