//! The indexed queries for invoices.

use care_core::{
    model::{Invoice, InvoiceState, Prescription},
    store::{Ask, Change, RecordKey, Versioned, Voided},
};

use crate::{
    samples,
    store::{clinic, subject::Subject},
};

/// Returns the number of a prescription's unpaid invoice.
fn unpaid(subject: &Subject, prescription: i64) -> Option<i64> {
    number(subject, Invoice::unpaid(samples::prescription_id(prescription)))
}

/// Returns the number of the first unpaid invoice of a patient.
fn unpaid_of(subject: &Subject, patient: i64) -> Option<i64> {
    number(subject, Invoice::unpaid_of(samples::patient_id(patient)))
}

fn number(subject: &Subject, ask: Ask<Option<Versioned<Invoice>>>) -> Option<i64> {
    Some(subject.one(ask)?.record.invoice_id.value())
}

fn paid(invoice: &Invoice) -> Invoice {
    Invoice { state: InvoiceState::Paid, ..invoice.clone() }
}

/// Puts patients 7 and 8 with three prescriptions each, and returns these: 1 to 3 and 4 to 6.
fn prescriptions(subject: &Subject) -> Vec<Prescription> {
    let names = samples::medicines();
    let all: Vec<_> = (1..=6)
        .zip(names.iter().cycle())
        .map(|(number, name)| samples::prescription(number, 7 + (number - 1) / 3, name))
        .collect();
    subject.commit(clinic::patients([7, 8]));
    subject.commit(clinic::prescribe_all(&all));
    all
}

pub(in crate::store) fn nothing_is_unpaid_before_it_is_invoiced(subject: Subject) {
    assert_eq!((unpaid(&subject, 1), unpaid_of(&subject, 7)), (None, None));
    prescriptions(&subject);
    assert_eq!((unpaid(&subject, 1), unpaid_of(&subject, 7)), (None, None));
}

pub(in crate::store) fn the_unpaid_invoice_is_found_whole(subject: Subject) {
    let invoice = samples::invoice(40, &prescriptions(&subject)[1]);
    let version = subject.put(invoice.clone());
    let keys = [Invoice::unpaid(invoice.prescription_id), Invoice::unpaid_of(invoice.patient_id)];
    for key in keys {
        let found = subject.one::<Invoice>(key).map(|found| (found.version, found.record));
        assert_eq!(found, Some((version, invoice.clone())));
    }
}

pub(in crate::store) fn an_unpaid_invoice_is_of_its_prescription_and_patient(subject: Subject) {
    let all = prescriptions(&subject);
    subject.put(samples::invoice(40, &all[1]));
    subject.put(samples::invoice(41, &all[3]));
    let found: Vec<_> = (1..=7).map(|prescription| unpaid(&subject, prescription)).collect();
    assert_eq!(found, [None, Some(40), None, Some(41), None, None, None]);
    assert_eq!([6, 7, 8, 9].map(|patient| unpaid_of(&subject, patient)), [None, Some(40), Some(41), None]);
}

pub(in crate::store) fn a_paid_invoice_is_not_unpaid(subject: Subject) {
    let invoice = samples::invoice(40, &prescriptions(&subject)[0]);
    subject.put(invoice.clone());
    subject.put(paid(&invoice));
    assert_eq!((unpaid(&subject, 1), unpaid_of(&subject, 7)), (None, None));
    assert!(subject.get::<Invoice>(invoice.invoice_id).is_some());
}

pub(in crate::store) fn a_cancelled_invoice_is_not_unpaid(subject: Subject) {
    let invoice = samples::invoice(40, &prescriptions(&subject)[0]);
    subject.put(invoice.clone());
    subject.remove(RecordKey::Invoice(invoice.invoice_id));
    assert_eq!((unpaid(&subject, 1), unpaid_of(&subject, 7)), (None, None));
}

pub(in crate::store) fn the_unpaid_invoice_is_found_among_paid_ones(subject: Subject) {
    let of = &prescriptions(&subject)[0];
    subject.put(paid(&samples::invoice(40, of)));
    subject.put(samples::invoice(41, of));
    subject.put(paid(&samples::invoice(42, of)));
    assert_eq!((unpaid(&subject, 1), unpaid_of(&subject, 7)), (Some(41), Some(41)));
}

pub(in crate::store) fn a_recurring_prescription_is_invoiced_again(subject: Subject) {
    let of = &prescriptions(&subject)[0];
    let first = samples::invoice(40, of);
    subject.put(first.clone());
    // One decision pays an invoice and issues the next, so that one is unpaid afterwards.
    subject.commit(vec![Change::put(paid(&first)), Change::put(samples::invoice(41, of))]);
    assert_eq!((unpaid(&subject, 1), unpaid_of(&subject, 7)), (Some(41), Some(41)));
}

pub(in crate::store) fn the_first_unpaid_invoice_of_a_patient_is_the_lowest(subject: Subject) {
    let all = prescriptions(&subject);
    let [high, low, middle] = [(100, 0), (9, 1), (20, 2)].map(|(n, of)| samples::invoice(n, &all[of]));
    for invoice in [&high, &low, &middle] {
        subject.put(invoice.clone());
    }
    subject.put(samples::invoice(1, &all[4]));
    assert_eq!(unpaid_of(&subject, 7), Some(9));
    subject.put(paid(&low));
    assert_eq!(unpaid_of(&subject, 7), Some(20));
    subject.remove(RecordKey::Invoice(middle.invoice_id));
    assert_eq!(unpaid_of(&subject, 7), Some(100));
    subject.put(paid(&high));
    assert_eq!((unpaid_of(&subject, 7), unpaid_of(&subject, 8)), (None, Some(1)));
}

pub(in crate::store) fn a_paid_invoice_outlives_its_prescription_and_patient(subject: Subject) {
    let all = prescriptions(&subject);
    let invoice = paid(&samples::invoice(40, &all[0]));
    let version = subject.put(invoice.clone());
    subject.commit(clinic::withdraw(&all[0]).into());
    let kept = || {
        let found = subject.get::<Invoice>(invoice.invoice_id);
        found.map(|found| (found.version, found.record))
    };
    assert_eq!(kept(), Some((version, invoice.clone())));
    let mut changes: Vec<_> = all[1..3].iter().flat_map(clinic::withdraw).collect();
    changes.push(Change::Remove(RecordKey::Patient(invoice.patient_id)));
    changes.push(Change::put(Voided { patient_id: invoice.patient_id }));
    subject.commit(changes);
    assert_eq!(kept(), Some((version, invoice.clone())));
}
