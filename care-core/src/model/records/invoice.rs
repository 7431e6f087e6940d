//! Invoices.

use serde::{Deserialize, Serialize};

use crate::model::{
    Address, Age, CreditNoteId, Currency, Date, Email, Invalid, InvoiceId, MedicineName, Name, PatientId, Phone,
    PrescriptionId, Price, Quantity, ReceiptId, ShortText, values::words::words,
};

/// An invoice: a snapshot taken when it was issued (interface document, 2.4), with the identifiers and the state that
/// no documented field carries.
///
/// Its documented form, as `GET /invoice/{invoiceId}` answers it:
/// ```xml
/// <Invoice><patientId>7</patientId><medicine>Ibuprofen 400</medicine><invoiceDate>31/01/2026</invoiceDate></Invoice>
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invoice {
    /// The invoice number. The series has no gaps.
    #[serde(rename = "invoiceId")]
    pub invoice_id: InvoiceId,
    /// The prescription it bills.
    #[serde(rename = "prescriptionId")]
    pub prescription_id: PrescriptionId,
    /// The invoiced patient.
    #[serde(rename = "patientId")]
    pub patient_id: PatientId,
    /// The billed medicine.
    pub medicine: MedicineName,
    /// The patient's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// The patient's age.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<Age>,
    /// The day on which it was issued.
    #[serde(rename = "invoiceDate")]
    pub invoice_date: Date,
    /// The patient's gender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gender: Option<ShortText>,
    /// The patient's phone number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<Phone>,
    /// The patient's email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<Email>,
    /// The issuing facility's registered address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub companyaddress: Option<Address>,
    /// Billed dosage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dosage: Option<ShortText>,
    /// Billed amount in whole units of the currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Currency of the billed amount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// The state of the invoice.
    pub state: InvoiceState,
    /// The units that it reserves, or took when it was paid; `None` when the medicine was not tracked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity>,
    /// The receipt of its payment.
    #[serde(rename = "receiptId", default, skip_serializing_if = "Option::is_none")]
    pub receipt_id: Option<ReceiptId>,
    /// The credit note of its refund.
    #[serde(rename = "creditNoteId", default, skip_serializing_if = "Option::is_none")]
    pub credit_note_id: Option<CreditNoteId>,
}

/// The state of an invoice. A cancelled invoice is no longer a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InvoiceState {
    /// The invoice is not paid yet.
    Unpaid,
    /// The invoice is paid.
    Paid,
    /// The invoice was paid and then refunded in full, which is final.
    Refunded,
}

words!(
    InvoiceState, "must be unpaid, paid or refunded",
    "unpaid" => Unpaid, "paid" => Paid, "refunded" => Refunded
);
