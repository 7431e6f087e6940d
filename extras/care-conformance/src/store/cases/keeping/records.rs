//! Every kind of record reads back as it was put.

use std::iter;

use care_core::{
    model::{Consultation, Patient, Prescription},
    store::{Change, Record, RecordKind, Series, Versioned, Voided},
};

use crate::{
    samples,
    store::{clinic, subject::Subject, universe::forms},
};

/// Puts each form over every other one of its record, so that no part of an earlier form can stay, and removes the
/// records. A commit puts one form of each record.
fn prove<E: Into<Record>>(subject: &Subject, forms: impl IntoIterator<Item = E>) {
    let mut records: Vec<Vec<Record>> = Vec::new();
    for form in forms.into_iter().map(Into::into) {
        match records.iter_mut().find(|forms| forms[0].key() == form.key()) {
            Some(forms) => forms.push(form),
            None => records.push(vec![form]),
        }
    }
    let walks: Vec<_> = records.iter().map(|forms| each_after_each(forms)).collect();
    for step in 0..walks.iter().map(Vec::len).max().unwrap_or_default() {
        let forms: Vec<_> = walks.iter().filter_map(|walk| walk.get(step).copied()).collect();
        let version = subject.commit(forms.iter().map(|form| Change::put(Record::clone(form))).collect());
        for &form in &forms {
            assert_eq!(subject.record(form.key()), Some(Versioned { version, record: form.clone() }));
        }
    }
    let keys: Vec<_> = records.iter().map(|forms| forms[0].key()).collect();
    subject.commit(keys.iter().cloned().map(Change::Remove).collect());
    keys.into_iter().for_each(|key| assert_eq!(subject.record(key), None));
}

/// Returns the forms in an order that has each of them right behind each, itself too.
fn each_after_each(forms: &[Record]) -> Vec<&Record> {
    let pairs = |at: usize| forms[at + 1..].iter().flat_map(move |later| [&forms[at], later]);
    (0..forms.len()).flat_map(|at| iter::once(&forms[at]).chain(pairs(at))).chain(forms.first()).collect()
}

pub(in crate::store) fn every_form_of_every_kind_reads_back(subject: Subject) {
    let name = samples::medicine("Ibuprofen 400");
    let prescription = samples::prescription(5, 7, &name);
    subject.commit(clinic::patients([7]));
    subject.commit(clinic::prescribe(&prescription).into());
    subject.put(clinic::consultation(3, 7));
    prove(&subject, samples::patient_forms(8));
    prove(&subject, samples::history_forms(7));
    prove(&subject, samples::consultation_forms(4, 7));
    prove(&subject, samples::diagnosis_forms(3, 7));
    prove(&subject, samples::invoice_forms(2, &prescription));
    prove(&subject, samples::prescription_forms(5, 7, &name));
    for number in [1, 9, i64::MAX - 1] {
        prove(&subject, [Voided { patient_id: samples::patient_id(number) }]);
    }
    prove(&subject, Series::ALL.into_iter().flat_map(samples::counter_forms));
    for (day, number) in [(samples::date("29/02/2024"), 1), (samples::last_day(), i64::MAX - 1)] {
        prove(&subject, RecordKind::ALL.iter().flat_map(|kind| forms(*kind, &name, day, number)));
    }
    prove(&subject, samples::medicines().iter().flat_map(samples::stock_forms));
    prove(&subject, samples::medicines().iter().flat_map(samples::open_lots));
}

pub(in crate::store) fn each_field_of_a_patient_reads_back_alone(subject: Subject) {
    for record in samples::patients_with_one_field(7) {
        let version = subject.put(record.clone());
        let found = subject.get::<Patient>(record.patient_id);
        assert_eq!(found, Some(Versioned { version, record }));
    }
}

pub(in crate::store) fn consultations_keep_their_prescriptions_in_order(subject: Subject) {
    let names = samples::medicines();
    let own: Vec<Prescription> = [9, 4, 6]
        .into_iter()
        .zip(&names)
        .map(|(number, name)| Prescription {
            consultation_id: samples::consultation_id(3),
            ..samples::prescription(number, 7, name)
        })
        .collect();
    let consultation = Consultation {
        prescription_ids: own.iter().map(|p| p.prescription_id).collect(),
        implicit: false,
        ..samples::consultation(&own[0])
    };
    let mut changes = clinic::patients([7]);
    changes.push(Change::put(consultation.clone()));
    changes.extend(own.iter().cloned().map(Change::put));
    let version = subject.commit(changes);
    assert_eq!(
        subject.get::<Consultation>(consultation.consultation_id),
        Some(Versioned { version, record: consultation })
    );
}
