//! `takings`: the ledger of money, as text and as CSV.

use care_core::{
    model::{PatientDetails, PaymentMethod, PrescriptionDetails, Price, RefundReason, Timestamp},
    service::{CareService, ExpectedVersion, NewCorrection, NewPrescription, NewRefund},
};
use futures_executor::block_on;

use crate::bench::Bench;

/// Makes a database with a payment, its correction and its refund.
fn bench() -> Bench {
    bench_of(PrescriptionDetails {
        price: Price::try_from(450).unwrap().into(),
        currency: "KES".to_owned().try_into().map(care_core::model::Patch::Set).unwrap(),
        ..PrescriptionDetails::default()
    })
}

fn bench_of(details: PrescriptionDetails) -> Bench {
    let bench = Bench::new();
    let now: Timestamp = "2026-03-15T12:00:00Z".parse().unwrap();
    let care = CareService::new(bench.store("care.db")).with_clock(move || now).acting_as("=desk");
    let patient = block_on(care.register_patient(PatientDetails::default())).unwrap().patient_id;
    let new = NewPrescription { details, ..NewPrescription::of("a".to_owned().try_into().unwrap()) };
    let prescription = block_on(care.prescribe(patient, new)).unwrap().prescription.prescription_id;
    let invoice = block_on(care.issue_invoice(prescription)).unwrap().invoice.invoice_id;
    block_on(care.pay_invoice(invoice)).unwrap();
    let correction = NewCorrection { method: PaymentMethod::Card, note: None };
    block_on(care.correct_receipt(1.try_into().unwrap(), correction)).unwrap();
    let refund = NewRefund::of(RefundReason::Goodwill);
    block_on(care.refund_invoice(invoice, refund, ExpectedVersion::Any)).unwrap();
    bench
}

#[test]
fn each_receipt_is_a_line() {
    let said = bench().admin(&["takings", "--database", "care.db"]).done();
    let expected = "       1  15/03/2026  payment              450 KES  cash, invoice 1, =desk
       2  15/03/2026  correction             0 KES  cash to card, invoice 1, =desk
       3  15/03/2026  refund              -450 KES  card, invoice 1, credit note 1, =desk, goodwill
";
    assert_eq!(said, expected);
}

#[test]
fn as_csv_no_holder_is_a_formula() {
    let bench = bench();
    let said = bench.admin(&["takings", "--csv", "--database", "care.db", "--from", "15/03/2026"]).done();
    let expected = "receipt,day,kind,method,amount,currency,invoice,creditNote,holder,reason,from\r
1,15/03/2026,payment,cash,450,KES,1,,'=desk,,\r
2,15/03/2026,correction,card,0,KES,1,,'=desk,,cash\r
3,15/03/2026,refund,card,-450,KES,1,1,'=desk,goodwill,\r
";
    assert_eq!(said, expected);
    let none = bench.admin(&["takings", "--database", "care.db", "--to", "14/03/2026"]).done();
    assert_eq!(none, "");
}

#[test]
fn a_correction_has_the_amount_0_in_csv_with_or_without_a_price() {
    let bench = bench_of(PrescriptionDetails::default());
    let said = bench.admin(&["takings", "--csv", "--database", "care.db"]).done();
    let lines: Vec<_> = said.lines().skip(1).collect();
    let expected = [
        "1,15/03/2026,payment,cash,,,1,,'=desk,,",
        "2,15/03/2026,correction,card,0,,1,,'=desk,,cash",
        "3,15/03/2026,refund,card,,,1,1,'=desk,goodwill,",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_period_that_ends_before_it_begins_is_refused() {
    let period = ["--from", "16/03/2026", "--to", "15/03/2026"];
    let said = bench().admin(&[&["takings", "--database", "care.db"], &period[..]].concat()).refused();
    assert_eq!(said, "care-admin: the first day is after the last\n");
}
