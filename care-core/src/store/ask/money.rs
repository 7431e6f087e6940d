//! Questions about invoices, receipts and takings.

use super::{
    index::{INVOICE_PAID, INVOICE_PAID_BY_PATIENT, INVOICE_UNPAID, INVOICE_UNPAID_BY_PATIENT, RECEIPT_CORRECTED},
    key::Ask,
    query::{InvoiceFilter, List, ReceiptFilter},
    selection::Selection,
};
use crate::{
    model::{
        Date, Invoice, InvoiceId, InvoiceState, PatientId, PrescriptionId, Receipt, ReceiptId, ReceiptKind, Takings,
        TakingsKey,
    },
    store::{Entity, RecordKind},
};

impl Invoice {
    /// Lists invoices by number, those above a number; the highest first if the filter says so, and then those below.
    pub fn list(filter: &InvoiceFilter, after: Option<InvoiceId>) -> List<Self> {
        let InvoiceFilter { patient_id, state, from, to, newest } = filter;
        let selection = Selection::of(RecordKind::Invoice)
            .equal("patient_id", patient_id.map(|id| id.value()))
            .word("state", state.map(InvoiceState::as_str))
            .at_least("invoice_date", from.map(Date::unix_days))
            .at_most("invoice_date", to.map(Date::unix_days));
        let ordered = if *newest { selection.descending() } else { selection };
        List::of(ordered, after.map(Self::key))
    }

    /// Asks for the prescription's unpaid invoice. There is at most one.
    pub fn unpaid(prescription: PrescriptionId) -> Ask<Option<Self>> {
        INVOICE_UNPAID.rows([prescription.value().into()]).one()
    }

    /// Asks for the unpaid invoice with the lowest number among all of the patient's.
    pub fn unpaid_of(patient: PatientId) -> Ask<Option<Self>> {
        INVOICE_UNPAID_BY_PATIENT.rows([patient.value().into()]).one()
    }

    /// Asks for the two paid invoices of the prescription with the lowest numbers, or fewer.
    pub fn paid(prescription: PrescriptionId) -> Ask<Vec<Self>> {
        INVOICE_PAID.rows([prescription.value().into()]).two()
    }

    /// Asks for the two paid invoices of the patient with the highest receipts, or fewer, the highest first.
    pub fn last_paid(patient: PatientId) -> Ask<Vec<Self>> {
        INVOICE_PAID_BY_PATIENT.rows([patient.value().into()]).by_index().descending().two()
    }
}

impl Receipt {
    /// Lists receipts by number, those above a number.
    pub fn list(filter: &ReceiptFilter, after: Option<ReceiptId>) -> List<Self> {
        let ReceiptFilter { invoice_id, holder, kind, from, to } = filter;
        let selection = Selection::of(RecordKind::Receipt)
            .equal("invoice_id", invoice_id.map(|id| id.value()))
            .equal("holder", holder.as_deref())
            .word("kind", kind.map(ReceiptKind::as_str))
            .at_least("day", from.map(Date::unix_days))
            .at_most("day", to.map(Date::unix_days));
        List::of(selection, after.map(Self::key))
    }

    /// Asks for the correction of this receipt with the highest number.
    pub fn last_correction(of: ReceiptId) -> Ask<Option<Self>> {
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
            .at_least("day", after.is_none().then(|| from.unix_days()))
            .at_most("day", Some(to.unix_days()))
            .equal("holder", holder);
        List::of(selection, after.map(Self::key))
    }
}
