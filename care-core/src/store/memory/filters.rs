//! The conditions of filters. Each function takes its filter apart, so that a new condition cannot be forgotten.

use crate::{
    model::{Consultation, Invoice, Movement, NamePrefix, Patient, Prescription, Receipt, Stock},
    store::{
        ConsultationFilter, InvoiceFilter, MovementFilter, PatientFilter, PrescriptionFilter, ReceiptFilter,
        StockFilter,
    },
};

pub(super) fn matches_patient(filter: &PatientFilter, patient: &Patient) -> bool {
    let PatientFilter { name_prefix, phone, email } = filter;
    let named = |prefix: &NamePrefix| patient.folded_name().is_some_and(|name| name.starts_with(prefix.as_str()));
    name_prefix.as_ref().is_none_or(named)
        && phone.is_none_or(|phone| patient.phone == Some(phone))
        && email.as_ref().is_none_or(|email| patient.email.as_ref() == Some(email))
}

pub(super) fn matches_prescription(filter: &PrescriptionFilter, prescription: &Prescription) -> bool {
    let PrescriptionFilter { patient_id, medicine, state } = filter;
    patient_id.is_none_or(|id| prescription.patient_id == id)
        && medicine.as_ref().is_none_or(|medicine| prescription.medicine.key() == medicine)
        && state.is_none_or(|state| prescription.state == state)
}

pub(super) fn matches_consultation(filter: &ConsultationFilter, consultation: &Consultation) -> bool {
    let ConsultationFilter { patient_id, state } = filter;
    patient_id.is_none_or(|id| consultation.patient_id == id) && state.is_none_or(|state| consultation.state == state)
}

pub(super) fn matches_invoice(filter: &InvoiceFilter, invoice: &Invoice) -> bool {
    // The order is that of the walk.
    let InvoiceFilter { patient_id, state, from, to, newest: _ } = filter;
    patient_id.is_none_or(|id| invoice.patient_id == id)
        && state.is_none_or(|state| invoice.state == state)
        && from.is_none_or(|from| invoice.invoice_date >= from)
        && to.is_none_or(|to| invoice.invoice_date <= to)
}

pub(super) fn matches_stock(filter: &StockFilter, stock: &Stock) -> bool {
    let StockFilter { expires_to } = filter;
    expires_to.is_none_or(|to| stock.expires.is_some_and(|first| first <= to))
}

pub(super) fn matches_movement(filter: &MovementFilter, movement: &Movement) -> bool {
    let MovementFilter { medicine, lot, expires, kind, invoice_id, from, to } = filter;
    medicine.as_ref().is_none_or(|medicine| movement.medicine.key() == medicine)
        && lot.as_ref().is_none_or(|lot| movement.lot == *lot)
        && expires.is_none_or(|expires| movement.expires == Some(expires))
        && kind.is_none_or(|kind| movement.kind == kind)
        && invoice_id.is_none_or(|id| movement.invoice_id == Some(id))
        && from.is_none_or(|from| movement.day >= from)
        && to.is_none_or(|to| movement.day <= to)
}

pub(super) fn matches_receipt(filter: &ReceiptFilter, receipt: &Receipt) -> bool {
    let ReceiptFilter { invoice_id, holder, kind, from, to } = filter;
    invoice_id.is_none_or(|id| receipt.invoice_id == id)
        && holder.as_ref().is_none_or(|holder| receipt.holder == *holder)
        && kind.is_none_or(|kind| receipt.kind == kind)
        && from.is_none_or(|from| receipt.day >= from)
        && to.is_none_or(|to| receipt.day <= to)
}
