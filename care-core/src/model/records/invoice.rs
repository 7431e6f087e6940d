//! Invoices.

use care_derive::Record;
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
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "invoice", key(invoice_id))]
#[record(moving(state, receipt_id), new, owner(patient = patient_id, on_void = keep))]
pub struct Invoice {
    /// The invoice number. The series has no gaps.
    pub invoice_id: InvoiceId,
    /// The prescription it bills.
    #[field(kept)]
    pub prescription_id: PrescriptionId,
    /// The invoiced patient.
    #[field(kept)]
    pub patient_id: PatientId,
    /// The billed medicine.
    #[field(kept)]
    pub medicine: MedicineName,
    /// The patient's name.
    #[field(personal)]
    pub name: Option<Name>,
    /// The patient's age.
    #[field(personal)]
    pub age: Option<Age>,
    /// The day on which it was issued.
    #[field(kept)]
    pub invoice_date: Date,
    /// The patient's gender.
    #[field(personal)]
    pub gender: Option<ShortText>,
    /// The patient's phone number.
    #[field(personal)]
    pub phone: Option<Phone>,
    /// The patient's email address.
    #[field(personal)]
    pub email: Option<Email>,
    /// The issuing facility's registered address.
    #[field(kept)]
    pub companyaddress: Option<Address>,
    /// Billed dosage.
    #[field(personal)]
    pub dosage: Option<ShortText>,
    /// Billed amount in whole units of the currency.
    #[field(kept)]
    pub price: Option<Price>,
    /// Currency of the billed amount.
    #[field(kept)]
    pub currency: Option<Currency>,
    /// The state of the invoice.
    #[field(kept)]
    pub state: InvoiceState,
    /// The units that it reserves, or took when it was paid; `None` when the medicine was not tracked.
    #[field(kept)]
    pub quantity: Option<Quantity>,
    /// The receipt of its payment.
    #[field(kept)]
    pub receipt_id: Option<ReceiptId>,
    /// The credit note of its refund.
    #[field(kept)]
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
