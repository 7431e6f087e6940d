//! Races: concurrent use cases have the same effect as if they had run one after another.

use std::thread;

use care_core::{
    model::{Age, PatientDetails, Phone},
    service::ExpectedVersion,
};
use futures_executor::block_on;

use crate::clinic::Clinic;

#[test]
fn two_hundred_payments_of_one_invoice_add_one_visit() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let consultation = clinic.consult(patient, None, &["flu"], &["a"]).unwrap();
    let invoice = clinic.bill(consultation.prescription_ids[0]);
    thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| assert_eq!(clinic.pay(invoice).visits, 1));
        }
    });
    assert_eq!(clinic.history(patient).history.len(), 1);
}

#[test]
fn updates_of_different_fields_lose_nothing() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let update = |details| block_on(clinic.care.update_patient(patient, details, ExpectedVersion::Any)).unwrap();
    thread::scope(|scope| {
        for round in 1..=50 {
            scope.spawn(move || {
                update(PatientDetails { age: Age::try_from(round).unwrap().into(), ..Default::default() })
            });
            scope.spawn(move || {
                update(PatientDetails { phone: Phone::try_from(round).unwrap().into(), ..Default::default() })
            });
        }
    });
    let record = clinic.record(patient);
    assert!(record.age.is_some() && record.phone.is_some() && record.name.is_some());
    let entries = clinic.journal();
    assert_eq!(entries.last().map(|entry| entry.seq.value()), Some(entries.len() as u64));
}

#[test]
fn one_of_many_equal_prescriptions_wins() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let won = thread::scope(|scope| {
        let attempt = || {
            let new = crate::clinic::new("a", Default::default());
            block_on(clinic.care.prescribe(patient, new)).is_ok()
        };
        let racers: Vec<_> = (0..32).map(|_| scope.spawn(attempt)).collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).filter(|won| *won).count()
    });
    assert_eq!(won, 1);
}
