//! Every kind of record reads back as it was put.

use care_core::{
    model::{Consultation, Demand, Patient, PatientId, Prescription, RegularDemand},
    store::{Change, Entity, Record, RecordKey, Series, Versioned, Voided},
};

use crate::{
    samples,
    store::{clinic, subject::Sample, subject::Subject},
};

/// Puts each form over every other one, so that no part of an earlier form can stay, and removes it.
fn prove<E: Sample>(subject: &Subject, forms: &[E]) {
    let key = forms[0].clone().into().key();
    for from in forms {
        for form in forms {
            subject.put(from.clone());
            let version = subject.put(form.clone());
            let record = form.clone();
            assert_eq!(subject.one::<E>(key.clone()), Some(Versioned { version, record }));
        }
    }
    subject.remove(key.clone());
    assert_eq!(subject.one::<E>(key), None);
}

pub(in crate::store) fn patients_read_back(subject: Subject) {
    prove(&subject, &samples::patient_forms(7));
}

pub(in crate::store) fn each_field_of_a_patient_reads_back_alone(subject: Subject) {
    for record in samples::patients_with_one_field(7) {
        let version = subject.put(record.clone());
        let found = subject.one::<Patient>(Patient::key(record.patient_id));
        assert_eq!(found, Some(Versioned { version, record }));
    }
}

pub(in crate::store) fn histories_read_back(subject: Subject) {
    subject.put(samples::patient(7));
    prove(&subject, &samples::history_forms(7));
}

pub(in crate::store) fn consultations_read_back(subject: Subject) {
    subject.put(samples::patient(7));
    prove(&subject, &samples::consultation_forms(3, 7));
}

pub(in crate::store) fn diagnoses_read_back(subject: Subject) {
    subject.put(samples::patient(7));
    subject.put(clinic::consultation(3, 7));
    prove(&subject, &samples::diagnosis_forms(3, 7));
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
        subject.one(Consultation::key(consultation.consultation_id)),
        Some(Versioned { version, record: consultation })
    );
}

pub(in crate::store) fn prescriptions_read_back(subject: Subject) {
    let name = samples::medicine("Ibuprofen 400");
    subject.commit(clinic::patients([7]));
    subject.commit(clinic::prescribe(&samples::prescription(5, 7, &name)).into());
    prove(&subject, &samples::prescription_forms(5, 7, &name));
}

pub(in crate::store) fn invoices_read_back(subject: Subject) {
    let prescription = samples::prescription(5, 7, &samples::medicine("Ibuprofen 400"));
    subject.commit(clinic::patients([7]));
    subject.commit(clinic::prescribe(&prescription).into());
    prove(&subject, &samples::invoice_forms(2, &prescription));
}

pub(in crate::store) fn items_read_back(subject: Subject) {
    prove(&subject, &samples::item_forms(&samples::medicine("Ibuprofen")));
}

pub(in crate::store) fn demand_reads_back(subject: Subject) {
    let name = samples::medicine("Ibuprofen");
    for day in [samples::first_day(), samples::date("29/02/2024"), samples::last_day()] {
        prove(&subject, &samples::demand_forms(&name, day));
    }
}

pub(in crate::store) fn regular_demands_read_back(subject: Subject) {
    prove(&subject, &samples::regular_demand_forms(&samples::medicine("Ibuprofen")));
}

pub(in crate::store) fn intervals_of_regular_demand_stay_apart(subject: Subject) {
    let forms: Vec<_> = ["a", "b"].map(samples::medicine).iter().flat_map(samples::regular_demand_intervals).collect();
    let version = subject.commit(forms.iter().rev().cloned().map(Change::put).collect());
    let expected = |forms: &[RegularDemand]| {
        forms.iter().map(|form| Versioned { version, record: form.clone().into() }).collect::<Vec<Versioned<Record>>>()
    };
    for (place, form) in forms.iter().enumerate() {
        assert_eq!(subject.record(Record::from(form.clone()).key()), expected(&forms)[place..].first().cloned());
        let after = Some((form.medicine.key().clone(), form.every_days));
        assert_eq!(subject.list(&RegularDemand::list(after), 10), expected(&forms[place + 1..]));
    }
    subject.remove(Record::from(forms[1].clone()).key());
    assert_eq!(subject.list(&RegularDemand::list(None), 2), expected(&[forms[0].clone(), forms[2].clone()]));
}

pub(in crate::store) fn counters_read_back(subject: Subject) {
    for series in [Series::Patient, Series::Prescription, Series::Invoice, Series::Consultation] {
        prove(&subject, &samples::counter_forms(series));
    }
}

pub(in crate::store) fn voided_numbers_read_back(subject: Subject) {
    for number in [1, 7, i64::MAX] {
        prove(&subject, &[Voided { patient_id: samples::patient_id(number) }]);
    }
}

pub(in crate::store) fn removing_one_kind_leaves_the_others(subject: Subject) {
    let id = PatientId::FIRST;
    let name = samples::medicine("Ibuprofen");
    let day = samples::first_day();
    let prescription = samples::prescription(1, 1, &name);
    let all: Vec<Record> = vec![
        samples::patient(1).into(),
        samples::history_forms(1).swap_remove(1).into(),
        samples::consultation(&prescription).into(),
        samples::diagnosis_forms(1, 1).swap_remove(1).into(),
        prescription.clone().into(),
        samples::invoice(1, &prescription).into(),
        samples::item(&name).into(),
        samples::demand(&name, day).into(),
        samples::regular_demand(&name, 1).into(),
        samples::counter_forms(Series::Patient).swap_remove(0).into(),
        Voided { patient_id: samples::patient_id(2) }.into(),
    ];
    let version = subject.commit(all.iter().cloned().map(Change::Put).collect());
    // The removed records are not referred to by those that stay.
    let steps: Vec<Vec<RecordKey>> = vec![
        vec![RecordKey::History(id)],
        vec![RecordKey::Diagnosis(samples::consultation_id(1))],
        vec![RecordKey::Invoice(samples::invoice_id(1))],
        vec![RecordKey::Item(name.key().clone())],
        vec![Demand::key((day, name.key().clone()))],
        vec![RecordKey::RegularDemand(samples::regular_demand_id(&name))],
        vec![RecordKey::Counter(Series::Patient)],
        vec![RecordKey::Voided(samples::patient_id(2))],
        clinic::withdraw(&prescription).map(|change| change.key()).into(),
        vec![RecordKey::Patient(id)],
    ];
    let mut gone = Vec::new();
    for step in steps {
        gone.extend(step.iter().cloned());
        subject.commit(step.into_iter().map(Change::Remove).collect());
        for record in &all {
            let expected = (!gone.contains(&record.key())).then(|| Versioned { version, record: record.clone() });
            assert_eq!(subject.record(record.key()), expected);
        }
    }
}
