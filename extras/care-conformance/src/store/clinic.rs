//! Records that refer to each other, put and removed in an order that any store can check.

use care_core::{
    model::{Consultation, Prescription, PrescriptionState},
    store::{Change, Counter, Record, RecordKey, Series, Versioned, Voided},
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

/// Returns one record of every kind, of patient 7, each behind those that it refers to.
pub(super) fn one_of_each_kind() -> Vec<Record> {
    let name = samples::medicine("Ibuprofen");
    let prescription = samples::prescription(7, 7, &name);
    vec![
        samples::patient(7).into(),
        samples::history_forms(7).swap_remove(1).into(),
        samples::consultation(&prescription).into(),
        samples::diagnosis_forms(7, 7).swap_remove(1).into(),
        prescription.clone().into(),
        samples::invoice(7, &prescription).into(),
        samples::item(&name).into(),
        samples::demand(&name, samples::date("31/01/2026")).into(),
        samples::regular_demand(&name, 7).into(),
        samples::stock(&name).into(),
        samples::open_lot(&name, samples::lot("A1", None), 7).into(),
        samples::movement(7, &name).into(),
        samples::stock_day_forms(&name, samples::date("31/01/2026")).swap_remove(1).into(),
        samples::dispensing_forms(7, &name).swap_remove(1).into(),
        Counter { series: Series::Invoice, last: 7 }.into(),
        Voided { patient_id: samples::patient_id(8) }.into(),
    ]
}
