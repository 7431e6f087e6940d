//! The index that finds the rows of a selection.

use care_core::store::{
    RecordKind,
    rows::{Selection, Term},
};

/// Returns `INDEXED BY` and the name of an index, or nothing where the primary key alone is needed. Each index has the
/// order of its selections, or its rows are few.
pub(crate) fn index(selection: &Selection<'_>) -> &'static str {
    let has = |column| selection.fixed().any(|(fixed, _)| fixed == column);
    let is_untrue = |column| selection.terms.contains(&Term::NotTrue(column));
    let is = |column, word| selection.fixed().any(|fixed| fixed == (column, Some(word)));
    match selection.kind {
        RecordKind::Consultation if has("patient_id") => "INDEXED BY consultation_by_patient",
        RecordKind::Consultation if has("state") => "INDEXED BY consultation_by_state",
        RecordKind::Diagnosis if has("patient_id") => "INDEXED BY diagnosis_by_patient",
        // A patient has few that are active, and many others.
        RecordKind::Prescription if has("patient_id") && is("state", "active") => "INDEXED BY prescription_active",
        RecordKind::Prescription if has("patient_id") && has("medicine_key") => "INDEXED BY prescription_by_patient",
        RecordKind::Prescription if has("patient_id") => "INDEXED BY prescription_of_patient",
        RecordKind::Prescription if has("medicine_key") => "INDEXED BY prescription_by_medicine",
        RecordKind::Prescription if is("state", "active") && is_untrue("is_regular") => {
            "INDEXED BY prescription_single"
        }
        RecordKind::Prescription if has("state") => "INDEXED BY prescription_by_state",
        RecordKind::Invoice if has("prescription_id") && is("state", "paid") => "INDEXED BY invoice_paid",
        RecordKind::Invoice if has("prescription_id") => "INDEXED BY invoice_unpaid",
        RecordKind::Invoice if has("patient_id") && is("state", "unpaid") => "INDEXED BY invoice_unpaid_by_patient",
        // Of a list the order is another one.
        RecordKind::Invoice if has("patient_id") && selection.order.starts_with("receipt_id") => {
            "INDEXED BY invoice_paid_by_patient"
        }
        RecordKind::Invoice if has("patient_id") => "INDEXED BY invoice_by_patient",
        RecordKind::Invoice if has("state") => "INDEXED BY invoice_by_state",
        RecordKind::Movement if has("reverses") => "INDEXED BY movement_reversal",
        // An invoice has a few movements, a medicine many.
        RecordKind::Movement if has("invoice_id") => "INDEXED BY movement_by_invoice",
        RecordKind::Movement if has("medicine_key") => "INDEXED BY movement_by_medicine",
        RecordKind::Receipt if has("corrects") => "INDEXED BY receipt_corrected",
        RecordKind::Receipt if has("invoice_id") => "INDEXED BY receipt_by_invoice",
        RecordKind::Receipt if is("kind", "refund") => "INDEXED BY receipt_refund",
        RecordKind::Receipt if is("kind", "correction") => "INDEXED BY receipt_correction",
        RecordKind::Receipt if has("holder") => "INDEXED BY receipt_by_holder",
        RecordKind::Reply if has("actor") => "INDEXED BY reply_to",
        RecordKind::Reply => "INDEXED BY reply_by_age",
        _ => "",
    }
}
