//! Questions about invoices, receipts and takings.

use care_derive::Filter;

use super::{
    index::{INVOICE_PAID, INVOICE_PAID_BY_PATIENT, INVOICE_UNPAID, INVOICE_UNPAID_BY_PATIENT, RECEIPT_CORRECTED},
    key::Ask,
    query::List,
    selection::Selection,
    term::Comparison,
};
use crate::{
    model::{
        Date, Invoice, InvoiceId, InvoiceState, PatientId, PrescriptionId, Receipt, ReceiptId, ReceiptKind, Takings,
        TakingsKey,
    },
    store::{Entity, RecordKind, Versioned},
};

/// A filter of invoices. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
#[filter(rows(Invoice))]
pub struct InvoiceFilter {
    /// Only records of this patient.
    #[filter(equal)]
    pub patient_id: Option<PatientId>,
    /// Only invoices in this state.
    #[filter(word)]
    pub state: Option<InvoiceState>,
    /// Only invoices issued on this day or later.
    #[filter(at_least(invoice_date), unindexed, example = "16/12/2025")]
    pub from: Option<Date>,
    /// Only invoices issued on this day or earlier.
    #[filter(at_most(invoice_date), unindexed, example = "15/03/2026")]
    pub to: Option<Date>,
    /// Whether the newest come first. Cursors of one order do not fit the other.
    #[filter(descending)]
    pub newest: bool,
}

/// A filter of receipts. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
#[filter(rows(Receipt))]
pub struct ReceiptFilter {
    /// Only receipts of this invoice.
    #[filter(equal)]
    pub invoice_id: Option<InvoiceId>,
    /// Only receipts of this holder of a key.
    #[filter(equal)]
    pub holder: Option<Box<str>>,
    /// Only receipts of this kind.
    #[filter(word, unindexed)]
    pub kind: Option<ReceiptKind>,
    /// Only receipts of this day or later.
    #[filter(at_least(day), unindexed, example = "16/12/2025")]
    pub from: Option<Date>,
    /// Only receipts of this day or earlier.
    #[filter(at_most(day), unindexed, example = "15/03/2026")]
    pub to: Option<Date>,
}

impl Invoice {
    /// Asks for the prescription's unpaid invoice. There is at most one.
    pub fn unpaid(prescription: PrescriptionId) -> Ask<Option<Versioned<Self>>> {
        INVOICE_UNPAID.rows([prescription.value().into()]).one()
    }

    /// Asks for the unpaid invoice with the lowest number among all of the patient's.
    pub fn unpaid_of(patient: PatientId) -> Ask<Option<Versioned<Self>>> {
        INVOICE_UNPAID_BY_PATIENT.rows([patient.value().into()]).one()
    }

    /// Asks for the two paid invoices of the prescription with the lowest numbers, or fewer.
    pub fn paid(prescription: PrescriptionId) -> Ask<Vec<Versioned<Self>>> {
        INVOICE_PAID.rows([prescription.value().into()]).two()
    }

    /// Asks for the two paid invoices of the patient with the highest receipts, or fewer, the highest first.
    pub fn last_paid(patient: PatientId) -> Ask<Vec<Versioned<Self>>> {
        INVOICE_PAID_BY_PATIENT.rows([patient.value().into()]).by_index().descending().two()
    }
}

impl Receipt {
    /// Asks for the correction of this receipt with the highest number.
    pub fn last_correction(of: ReceiptId) -> Ask<Option<Versioned<Self>>> {
        RECEIPT_CORRECTED.rows([of.value().into()]).descending().one()
    }
}

impl Takings {
    /// Lists the takings of a period by day, then by holder, then by currency: those after the given ones, and of this
    /// holder.
    pub fn list((from, to): (Date, Date), holder: Option<&str>, after: Option<TakingsKey>) -> List<Self> {
        // A cursor before the period means its beginning.
        let after = after.filter(|after| after.day >= from);
        let selection = Selection::of(RecordKind::Takings)
            .compared("day", Comparison::AtLeast, after.is_none().then(|| from.unix_days()))
            .compared("day", Comparison::AtMost, Some(to.unix_days()))
            .compared("holder", Comparison::Equal, holder);
        List::of(selection, after.map(Self::key))
    }
}
