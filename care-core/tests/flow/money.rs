//! Refunds, after what the cases over HTTP do not reach.

use std::thread;

use care_core::{
    error::{Conflict, Error},
    model::{
        InvoiceState, MovementReason, Note, PaymentMethod, PrescriptionState, ReceiptKind, RefundReason, StockDetails,
        UnitName,
    },
    service::{ExpectedVersion, NewCorrection, NewMovement, NewRefund},
    store::RecordKind,
};
use futures_executor::block_on;

use crate::clinic::{Clinic, is_conflict, is_missing, lot, medicine, regular};

const WRONG: NewRefund = NewRefund::of(RefundReason::WrongEntry);
const REOPEN: NewRefund =
    NewRefund { reason: RefundReason::WrongEntry, note: None, method: None, restock: false, reopen: true };
const RESTOCK: NewRefund =
    NewRefund { reason: RefundReason::WrongEntry, note: None, method: None, restock: true, reopen: false };

#[test]
fn a_refund_is_final_and_the_visit_stays() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let (first, paid) = clinic.paid(patient, "a");
    let (_, later) = clinic.paid(patient, "b");
    let unpaid = clinic.bill(clinic.prescribe(patient, "c"));
    assert!(is_conflict(clinic.refund(unpaid, WRONG), Conflict::InvoiceUnpaid));
    assert!(is_missing(clinic.refund(99.try_into().unwrap(), WRONG), RecordKind::Invoice));
    let refund = clinic.refund(later, WRONG).unwrap();
    assert_eq!(
        (refund.kind, refund.credit_note_id.map(|id| id.value()), refund.receipt_id.value()),
        (ReceiptKind::Refund, Some(1), 3)
    );
    assert_eq!(clinic.state(later), InvoiceState::Refunded);
    let history = clinic.history(patient);
    assert_eq!((history.visits, history.medicine.map(|m| m.to_string()).as_deref()), (2, Some("a")));
    assert!(is_conflict(clinic.refund(later, WRONG), Conflict::AlreadyRefunded));
    assert!(is_conflict(block_on(clinic.care.pay_invoice(later)), Conflict::InvoiceRefunded));
    assert!(is_conflict(clinic.cancel(later), Conflict::InvoiceRefunded));
    assert!(is_conflict(clinic.cancel(paid), Conflict::InvoicePaid));
    clinic.refund(paid, WRONG).unwrap();
    assert_eq!((clinic.history(patient).medicine, clinic.history(patient).visits), (None, 2));
    let prescription = clinic.prescription(first);
    assert_eq!((prescription.state, prescription.dispensed), (PrescriptionState::Completed, true));
    clinic.verified();
    // The money of a voided patient is owed as well.
    let (_, owed) = clinic.paid(patient, "d");
    clinic.cancel(unpaid).unwrap();
    clinic.void(patient).unwrap();
    assert!(is_conflict(clinic.refund(owed, REOPEN), Conflict::NotReopenable));
    clinic.refund(owed, WRONG).unwrap();
    assert!(is_conflict(block_on(clinic.care.pay_invoice(owed)), Conflict::InvoiceRefunded));
    clinic.verified();
}

#[test]
fn nothing_is_reopened_beside_another_one_for_the_medicine() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let (_, paid) = clinic.paid(patient, "a");
    clinic.prescribe(patient, "a");
    assert!(is_conflict(clinic.refund(paid, REOPEN), Conflict::NotReopenable));
    clinic.refund(paid, WRONG).unwrap();
    clinic.verified();
}

#[test]
fn a_prescription_that_became_regular_after_its_payment_is_reopened() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let (prescription, paid) = clinic.paid(patient, "a");
    let key = medicine("a").key().clone();
    block_on(clinic.care.update_prescription(patient, key, regular(), ExpectedVersion::Any)).unwrap();
    assert_eq!(clinic.prescription(prescription).state, PrescriptionState::Completed);
    clinic.refund(paid, REOPEN).unwrap();
    let reopened = clinic.prescription(prescription);
    assert_eq!((reopened.state, reopened.dispensed), (PrescriptionState::Active, false));
    clinic.verified();
    let again = clinic.bill(prescription);
    clinic.pay(again);
    clinic.verified();
}

#[test]
fn a_regular_prescription_stays_as_it_is() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let recurring = clinic.prescribe_as(patient, "a", regular());
    let paid: Vec<_> = (0..2)
        .map(|_| {
            let bill = clinic.bill(recurring);
            clinic.pay(bill);
            bill
        })
        .collect();
    let before = clinic.prescription(recurring);
    clinic.refund(paid[0], REOPEN).unwrap();
    assert_eq!(clinic.prescription(recurring), before);
    clinic.withdraw(recurring).unwrap();
    assert!(is_conflict(clinic.refund(paid[1], REOPEN), Conflict::NotReopenable));
    clinic.verified();
}

#[test]
fn what_is_still_out_comes_back_to_its_lots() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let key = clinic.track("Ibuprofen");
    let (_, paid) = clinic.paid(patient, "Ibuprofen");
    let back = |units: i64| NewMovement::returned(lot("late", "01/01/2091"), units.try_into().unwrap(), paid);
    assert_eq!(clinic.on_hand(&key), 8);
    block_on(clinic.care.move_stock(key.clone(), back(1))).unwrap();
    clinic.refund(paid, RESTOCK).unwrap();
    assert_eq!(clinic.on_hand(&key), 11);
    assert!(matches!(
        block_on(clinic.care.move_stock(key.clone(), back(1))),
        Err(Error::Conflict(Conflict::NotDispensed))
    ));
    clinic.verified();
    // Nothing is out of an untracked medicine, nor after all came back, nor of one that is tracked anew since.
    let (_, untracked) = clinic.paid(patient, "b");
    assert!(is_conflict(clinic.refund(untracked, RESTOCK), Conflict::NotDispensed));
    let (_, kept) = clinic.paid(patient, "Ibuprofen");
    let lots = [("late", "01/01/2091", 8)];
    for (text, expires, units) in lots {
        let units = units.try_into().unwrap();
        let reason = MovementReason::Damaged;
        let lost = NewMovement::removal(lot(text, expires), units, reason);
        block_on(clinic.care.move_stock(key.clone(), lost)).unwrap();
    }
    block_on(clinic.care.end_stock(key.clone(), ExpectedVersion::Any)).unwrap();
    assert!(is_conflict(clinic.refund(kept, RESTOCK), Conflict::NotDispensed));
    block_on(clinic.care.start_stock(key, UnitName::new("tablets").unwrap(), StockDetails::default(), Vec::new()))
        .unwrap();
    assert!(is_conflict(clinic.refund(kept, RESTOCK), Conflict::NotDispensed));
    clinic.refund(kept, WRONG).unwrap();
    clinic.verified();
}

#[test]
fn two_hundred_refunds_of_one_invoice_give_one_credit_note() {
    let clinic = Clinic::new();
    let (_, paid) = clinic.paid(clinic.patient(), "a");
    let won = thread::scope(|scope| {
        let racers: Vec<_> = (0..200).map(|_| scope.spawn(|| clinic.refund(paid, WRONG).is_ok())).collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).filter(|won| *won).count()
    });
    assert_eq!((won, clinic.receipts().len()), (1, 2));
    clinic.verified();
}

#[test]
fn an_erasure_takes_the_notes_of_refunds_and_corrections() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let (_, paid) = clinic.paid(patient, "a");
    let note = || Some(Note::new("Ada came back").unwrap());
    clinic.refund(paid, NewRefund { note: note(), ..WRONG }).unwrap();
    let correction = NewCorrection { method: PaymentMethod::Bank, note: note() };
    block_on(clinic.care.correct_receipt(1.try_into().unwrap(), correction)).unwrap();
    block_on(clinic.care.erase_patient(patient)).unwrap();
    assert!(clinic.receipts().iter().all(|receipt| receipt.note.is_none()));
    assert!(!format!("{:?}", clinic.journal()).contains("Ada"));
    clinic.verified();
}
