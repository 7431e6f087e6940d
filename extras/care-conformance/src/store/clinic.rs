//! Records that refer to each other, put and removed in an order that any store can check.

use care_core::{
    model::{Consultation, Prescription, PrescriptionState},
    store::{Change, Record, RecordKey, Versioned},
};

use crate::samples;

/// Registers ordinary patients.
pub(super) fn patients(numbers: impl IntoIterator<Item = i64>) -> Vec<Change> {
    numbers.into_iter().map(|number| Change::put(samples::patient(number))).collect()
}

/// Returns the changes that put a prescription, after the consultation in which it was made.
pub(super) fn prescribe(prescription: &Prescription) -> [Change; 2] {
    [Change::put(samples::consultation(prescription)), Change::put(prescription.clone())]
}

/// Returns the changes that put all of these, each with its consultation.
pub(super) fn prescribe_all<'a>(prescriptions: impl IntoIterator<Item = &'a Prescription>) -> Vec<Change> {
    prescriptions.into_iter().flat_map(prescribe).collect()
}

/// Returns the changes that withdraw a prescription, and the consultation that was made for it.
pub(super) fn withdraw(prescription: &Prescription) -> [Change; 2] {
    [
        Change::Remove(RecordKey::Prescription(prescription.prescription_id)),
        Change::Remove(RecordKey::Consultation(prescription.consultation_id)),
    ]
}

/// Returns the prescription as it is after its payment.
pub(super) fn completed(prescription: &Prescription) -> Prescription {
    Prescription { state: PrescriptionState::Completed, dispensed: true, ..prescription.clone() }
}

/// Returns an open consultation of a patient without prescriptions.
pub(super) fn consultation(number: i64, patient: i64) -> Consultation {
    samples::consultation_forms(number, patient).swap_remove(1)
}

/// Returns the records of a list.
pub(super) fn records(list: Vec<Versioned<Record>>) -> Vec<Record> {
    list.into_iter().map(|found| found.record).collect()
}

/// Returns the numbers of the records in a list.
pub(super) fn numbers(list: &[Versioned<Record>]) -> Vec<i64> {
    list.iter()
        .map(|found| match &found.record {
            Record::Patient(patient) => patient.patient_id.value(),
            Record::Prescription(prescription) => prescription.prescription_id.value(),
            Record::Invoice(invoice) => invoice.invoice_id.value(),
            other => panic!("no such record belongs in this list: {:?}", other.key()),
        })
        .collect()
}
