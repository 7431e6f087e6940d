//! The indexed queries for prescriptions and consultations.

use care_core::{
    model::{Consultation, Diagnosis, MedicineName, Prescription, PrescriptionState},
    store::{Ask, Change, RecordKey, Versioned},
};

use crate::{
    samples,
    store::{clinic, subject::Subject},
};

fn ibuprofen() -> MedicineName {
    samples::medicine("Ibuprofen")
}

/// Returns the number of the patient's active prescription for a medicine.
fn active(subject: &Subject, patient: i64, name: &str) -> Option<i64> {
    let key = samples::medicine(name).key().clone();
    number(subject, Prescription::active(samples::patient_id(patient), &key))
}

/// Returns the number of the patient's newest prescription for a medicine.
fn newest(subject: &Subject, patient: i64, name: &str) -> Option<i64> {
    let key = samples::medicine(name).key().clone();
    number(subject, Prescription::newest(samples::patient_id(patient), &key))
}

fn number(subject: &Subject, ask: Ask<Option<Versioned<Prescription>>>) -> Option<i64> {
    let found = subject.one(ask)?;
    Some(found.record.prescription_id.value())
}

fn numbers_of(subject: &Subject, patient: i64) -> Vec<i64> {
    subject
        .all::<Prescription>(Prescription::of_patient(samples::patient_id(patient)))
        .iter()
        .map(|found| found.record.prescription_id.value())
        .collect()
}

fn consultations_of(subject: &Subject, patient: i64) -> Vec<i64> {
    subject
        .all::<Consultation>(Consultation::of_patient(samples::patient_id(patient)))
        .iter()
        .map(|found| found.record.consultation_id.value())
        .collect()
}

pub(in crate::store) fn a_fresh_store_knows_no_prescription(subject: Subject) {
    assert_eq!(active(&subject, 1, "Ibuprofen"), None);
    assert_eq!(newest(&subject, 1, "Ibuprofen"), None);
    assert!(numbers_of(&subject, 1).is_empty());
    assert!(consultations_of(&subject, 1).is_empty());
}

pub(in crate::store) fn active_prescriptions_are_counted(subject: Subject) {
    let count = |patient| subject.ask(move |seen| seen.count(Prescription::count_active(samples::patient_id(patient))));
    subject.commit(clinic::patients([7, 8]));
    assert_eq!(count(7), 0);
    let made: Vec<_> = (1..=120).map(|n| samples::prescription(n, 7, &samples::medicine(&format!("M {n}")))).collect();
    subject.commit(made.iter().flat_map(clinic::prescribe).collect());
    subject.commit(clinic::prescribe(&samples::prescription(121, 8, &ibuprofen())).into());
    assert_eq!((count(7), count(8)), (120, 1));
    let completed = made[..20].iter().cloned();
    let completed = completed.map(|p| Change::put(Prescription { state: PrescriptionState::Completed, ..p }));
    subject.commit(completed.chain([Change::Remove(RecordKey::Prescription(samples::prescription_id(120)))]).collect());
    assert_eq!((count(7), count(8)), (99, 1));
}

pub(in crate::store) fn the_active_prescription_is_found_whole(subject: Subject) {
    let prescription = samples::prescription(3, 7, &ibuprofen());
    subject.commit(clinic::patients([7]));
    let version = subject.commit(clinic::prescribe(&prescription).into());
    let key = prescription.medicine.key().clone();
    let id = samples::patient_id(7);
    for key in [Prescription::active(id, &key), Prescription::newest(id, &key)] {
        let found = subject.one::<Prescription>(key).map(|found| (found.version, found.record));
        assert_eq!(found, Some((version, prescription.clone())));
    }
}

pub(in crate::store) fn the_active_prescription_is_the_patients_own(subject: Subject) {
    subject.commit(clinic::patients([1, 7, 8, 70]));
    subject.commit(clinic::prescribe(&samples::prescription(3, 7, &ibuprofen())).into());
    subject.commit(clinic::prescribe(&samples::prescription(4, 8, &ibuprofen())).into());
    let found = [1, 7, 8, 70].map(|patient| active(&subject, patient, "Ibuprofen"));
    assert_eq!(found, [None, Some(3), Some(4), None]);
}

pub(in crate::store) fn the_active_prescription_is_for_that_medicine(subject: Subject) {
    subject.commit(clinic::patients([7]));
    let all: Vec<Prescription> =
        samples::medicines().iter().zip(1..).map(|(name, number)| samples::prescription(number, 7, name)).collect();
    subject.commit(clinic::prescribe_all(&all));
    for prescription in &all {
        let expected = Some(prescription.prescription_id.value());
        assert_eq!(active(&subject, 7, prescription.medicine.as_str()), expected);
        assert_eq!(newest(&subject, 7, prescription.medicine.as_str()), expected);
    }
    assert_eq!(active(&subject, 7, "Paracetamol"), None);
    assert_eq!(newest(&subject, 7, "Paracetamol"), None);
}

pub(in crate::store) fn a_prescription_is_found_in_any_spelling(subject: Subject) {
    subject.commit(clinic::patients([7]));
    let stored = samples::medicine(" Stra\u{df}e  5");
    subject.commit(clinic::prescribe(&samples::prescription(3, 7, &stored)).into());
    for spelling in ["STRASSE 5", "stra\u{1e9e}e\t5 "] {
        assert_eq!(active(&subject, 7, spelling), Some(3));
        assert_eq!(newest(&subject, 7, spelling), Some(3));
    }
    assert_eq!(active(&subject, 7, "STRASSE5"), None);
}

pub(in crate::store) fn a_completed_prescription_is_not_active(subject: Subject) {
    subject.commit(clinic::patients([7]));
    let prescription = samples::prescription(3, 7, &ibuprofen());
    subject.commit(clinic::prescribe(&prescription).into());
    subject.put(clinic::completed(&prescription));
    assert_eq!(active(&subject, 7, "Ibuprofen"), None);
    assert_eq!(newest(&subject, 7, "Ibuprofen"), Some(3));
    assert_eq!(numbers_of(&subject, 7), [3]);
}

pub(in crate::store) fn the_active_one_is_found_among_completed_ones(subject: Subject) {
    subject.commit(clinic::patients([7]));
    let of = |number| samples::prescription(number, 7, &ibuprofen());
    let all = [clinic::completed(&of(2)), of(4), clinic::completed(&of(6))];
    subject.commit(clinic::prescribe_all(&all));
    assert_eq!(active(&subject, 7, "Ibuprofen"), Some(4));
    assert_eq!(newest(&subject, 7, "Ibuprofen"), Some(6));
}

pub(in crate::store) fn the_newest_is_the_highest_number_not_the_latest_put(subject: Subject) {
    subject.commit(clinic::patients([7]));
    for number in [100, 20, 3] {
        let prescription = clinic::completed(&samples::prescription(number, 7, &ibuprofen()));
        subject.commit(clinic::prescribe(&prescription).into());
    }
    assert_eq!(newest(&subject, 7, "Ibuprofen"), Some(100));
}

pub(in crate::store) fn a_withdrawn_prescription_is_gone_from_every_key(subject: Subject) {
    subject.commit(clinic::patients([7]));
    let earlier = clinic::completed(&samples::prescription(3, 7, &ibuprofen()));
    let later = samples::prescription(5, 7, &ibuprofen());
    subject.commit(clinic::prescribe_all([&earlier, &later]));
    assert_eq!(newest(&subject, 7, "Ibuprofen"), Some(5));
    subject.commit(clinic::withdraw(&later).into());
    assert_eq!(active(&subject, 7, "Ibuprofen"), None);
    assert_eq!(newest(&subject, 7, "Ibuprofen"), Some(3));
    assert_eq!(numbers_of(&subject, 7), [3]);
    assert_eq!(consultations_of(&subject, 7), [3]);
    subject.commit(clinic::withdraw(&earlier).into());
    assert_eq!(newest(&subject, 7, "Ibuprofen"), None);
    assert!(numbers_of(&subject, 7).is_empty());
}

pub(in crate::store) fn the_active_prescription_passes_on_in_one_decision(subject: Subject) {
    subject.commit(clinic::patients([7]));
    let first = samples::prescription(3, 7, &ibuprofen());
    subject.commit(clinic::prescribe(&first).into());
    let mut changes = vec![Change::put(clinic::completed(&first))];
    changes.extend(clinic::prescribe(&samples::prescription(4, 7, &ibuprofen())));
    subject.commit(changes);
    assert_eq!(active(&subject, 7, "Ibuprofen"), Some(4));
}

pub(in crate::store) fn a_prescription_moves_with_its_medicine_and_patient(subject: Subject) {
    subject.commit(clinic::patients([7, 8]));
    let prescription = samples::prescription(3, 7, &ibuprofen());
    subject.commit(clinic::prescribe(&prescription).into());
    let other = samples::prescription(3, 7, &samples::medicine("Paracetamol"));
    subject.commit(clinic::prescribe(&other).into());
    assert_eq!(active(&subject, 7, "Ibuprofen"), None);
    assert_eq!(active(&subject, 7, "Paracetamol"), Some(3));
    let moved = samples::prescription(3, 8, &samples::medicine("Paracetamol"));
    subject.commit(clinic::prescribe(&moved).into());
    assert_eq!((numbers_of(&subject, 7), numbers_of(&subject, 8)), (vec![], vec![3]));
    assert_eq!((consultations_of(&subject, 7), consultations_of(&subject, 8)), (vec![], vec![3]));
    assert_eq!(active(&subject, 7, "Paracetamol"), None);
    assert_eq!(newest(&subject, 8, "Paracetamol"), Some(3));
}

pub(in crate::store) fn the_prescriptions_of_a_patient_come_by_number(subject: Subject) {
    subject.commit(clinic::patients([7, 8, 70]));
    let names = samples::medicines();
    for (number, patient, name) in [(100, 7, 0), (9, 7, 3), (10, 8, 0), (2, 7, 2), (i64::MAX, 7, 1), (11, 70, 0)] {
        let prescription = samples::prescription(number, patient, &names[name]);
        subject.commit(clinic::prescribe(&prescription).into());
    }
    assert_eq!(numbers_of(&subject, 7), [2, 9, 100, i64::MAX]);
    assert_eq!(numbers_of(&subject, 8), [10]);
    assert!(numbers_of(&subject, 1).is_empty());
}

pub(in crate::store) fn the_prescriptions_of_a_patient_are_all_of_them(subject: Subject) {
    subject.commit(clinic::patients([7]));
    let all: Vec<_> =
        (1..=300).map(|number| clinic::completed(&samples::prescription(number, 7, &ibuprofen()))).collect();
    subject.commit(clinic::prescribe_all(&all));
    assert_eq!(numbers_of(&subject, 7), (1..=300).collect::<Vec<_>>());
    assert_eq!(consultations_of(&subject, 7), (1..=300).collect::<Vec<_>>());
}

pub(in crate::store) fn the_consultations_of_a_patient_come_by_number(subject: Subject) {
    subject.commit(clinic::patients([7, 8]));
    for (number, patient) in [(100, 7), (9, 7), (10, 8), (i64::MAX, 7)] {
        subject.put(clinic::consultation(number, patient));
    }
    assert_eq!(consultations_of(&subject, 7), [9, 100, i64::MAX]);
    subject.remove(RecordKey::Consultation(samples::consultation_id(100)));
    assert_eq!(consultations_of(&subject, 7), [9, i64::MAX]);
    assert_eq!(consultations_of(&subject, 8), [10]);
}

pub(in crate::store) fn the_diagnoses_of_a_patient_come_by_consultation(subject: Subject) {
    subject.commit(clinic::patients([7, 8]));
    let form = |number: i64, patient| samples::diagnosis_forms(number, patient).swap_remove(number as usize % 4);
    for (number, patient) in [(100, 7), (9, 7), (10, 8), (i64::MAX, 7)] {
        subject.put(clinic::consultation(number, patient));
        subject.put(form(number, patient));
    }
    subject.put(clinic::consultation(50, 7));
    let of = |patient| -> Vec<_> {
        let found = subject.all::<Diagnosis>(Diagnosis::of_patient(samples::patient_id(patient)));
        found.into_iter().map(|found| found.record).collect()
    };
    assert_eq!(of(7), [9, 100, i64::MAX].map(|number| form(number, 7)));
    subject.remove(RecordKey::Diagnosis(samples::consultation_id(100)));
    assert_eq!(of(7), [9, i64::MAX].map(|number| form(number, 7)));
    assert_eq!((of(8), of(1)), (vec![form(10, 8)], vec![]));
}
