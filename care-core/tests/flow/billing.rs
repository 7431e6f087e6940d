//! Invoices and payments.

use care_core::{
    error::{Conflict, Kind},
    model::{Address, InvoiceState},
    service::{ExpectedVersion, Facility},
    store::InvoiceFilter,
};
use futures_executor::block_on;

use crate::clinic::{Clinic, is_conflict, is_missing, named, regular};

#[test]
fn two_prescriptions_of_one_consultation_are_one_visit() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let consultation = clinic.consult(patient, Some("14/03/2026"), &["flu"], &["a", "b"]).unwrap();
    let [a, b] = consultation.prescription_ids[..] else { panic!() };
    let first = clinic.pay(clinic.bill(a));
    assert_eq!((first.visits, first.medicine.map(|m| m.to_string()).as_deref()), (1, Some("a")));
    let second = clinic.pay(clinic.bill(b));
    assert_eq!((second.visits, second.medicine.map(|m| m.to_string()).as_deref()), (1, Some("b")));
    assert_eq!(second.history.len(), 1);
    assert_eq!(clinic.record(patient).lastvisit, "14/03/2026".parse().ok());
}

#[test]
fn paying_again_counts_nothing_twice() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let invoice = clinic.bill(clinic.prescribe(patient, "a"));
    let history = clinic.pay(invoice);
    let journal = clinic.journal();
    assert_eq!(clinic.pay(invoice), history);
    assert_eq!(clinic.journal(), journal);
}

#[test]
fn an_unpaid_invoice_is_answered_again_and_blocks_withdrawing() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let prescription = clinic.prescribe(patient, "a");
    let issued = block_on(clinic.care.issue_invoice(prescription)).unwrap();
    let again = block_on(clinic.care.issue_invoice(prescription)).unwrap();
    assert!(issued.is_new && !again.is_new);
    assert_eq!(issued.invoice, again.invoice);
    assert!(is_conflict(clinic.withdraw(prescription), Conflict::UnpaidInvoice));
    clinic.cancel(issued.invoice.invoice_id).unwrap();
    assert!(is_missing(block_on(clinic.care.pay_invoice(issued.invoice.invoice_id)), Kind::Invoice));
    assert!(is_missing(clinic.cancel(issued.invoice.invoice_id), Kind::Invoice));
    // The number of a cancelled invoice stays used.
    assert_eq!(clinic.bill(prescription).value(), 2);
}

#[test]
fn a_completed_prescription_is_not_invoiced_again_and_a_regular_one_is() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let once = clinic.prescribe(patient, "a");
    let invoice = clinic.bill(once);
    clinic.pay(invoice);
    assert!(is_conflict(block_on(clinic.care.issue_invoice(once)), Conflict::PrescriptionCompleted));
    assert!(is_conflict(clinic.cancel(invoice), Conflict::InvoicePaid));

    let recurring = clinic.prescribe_as(patient, "b", regular());
    for _ in 0..2 {
        clinic.pay(clinic.bill(recurring));
    }
    assert_eq!(clinic.history(patient).visits, 2);
    let paid = InvoiceFilter { patient_id: Some(patient), state: Some(InvoiceState::Paid), ..InvoiceFilter::default() };
    assert_eq!(block_on(clinic.care.invoices(paid, None, 9)).unwrap().items.len(), 3);
}

#[test]
fn an_invoice_is_a_snapshot() {
    let clinic = Clinic::new();
    let address = Address::new("1 Sample Street").unwrap();
    let care = clinic.care.clone().with_facility(Facility { address: Some(address.clone()), ..Facility::default() });
    let patient = clinic.patient();
    let prescription = clinic.prescribe(patient, "a");
    let issued = block_on(care.issue_invoice(prescription)).unwrap().invoice;
    assert_eq!(issued.companyaddress, Some(address));
    assert_eq!(issued.invoice_date, "15/03/2026".parse().unwrap());
    block_on(care.update_patient(patient, named("Other Name"), ExpectedVersion::Any)).unwrap();
    assert_eq!(block_on(care.invoice(issued.invoice_id)).unwrap(), issued);
}
