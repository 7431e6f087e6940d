//! Patients and the inventory: numbers, merge rules, voiding, versions.

use care_core::{
    error::{Conflict, Error, Kind},
    model::{Age, ItemDetails, Patch, PatientDetails, PatientId},
    operation::Operation,
    service::{ExpectedVersion, NewPrescription},
    store::{Change, Counter, PatientFilter, RecordKey, Seq, Series},
};
use futures_executor::block_on;

use crate::clinic::{Clinic, is_conflict, is_missing, medicine, named, text};

fn id(number: i64) -> PatientId {
    PatientId::try_from(number).unwrap()
}

#[test]
fn given_numbers_skip_those_that_patients_have_or_had() {
    let clinic = Clinic::new();
    let register = |number: Option<i64>| match number {
        Some(number) => block_on(clinic.care.register_patient_as(id(number), named("N"))),
        None => block_on(clinic.care.register_patient(named("N"))),
    };
    for chosen in [2, 3, i64::MAX] {
        assert_eq!(register(Some(chosen)).unwrap().patient_id, id(chosen));
    }
    assert_eq!(clinic.patient(), id(1));
    assert_eq!(clinic.patient(), id(4));
    clinic.void(id(4)).unwrap();
    assert_eq!(clinic.patient(), id(5));
    for used in [4, 5, i64::MAX] {
        assert!(is_conflict(register(Some(used)), Conflict::PatientExists));
    }
}

#[test]
fn the_last_given_number_is_kept() {
    let clinic = Clinic::new();
    for last in 1..=3 {
        clinic.patient();
        let counter = Counter { series: Series::Patient, last };
        let entry = clinic.journal().pop().unwrap();
        assert!(entry.changes().any(|change| *change == Change::put(counter)));
    }
}

#[test]
fn an_update_that_changes_nothing_leaves_no_trace() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let before = (clinic.journal(), block_on(clinic.care.patient(patient)).unwrap());
    for details in [PatientDetails::default(), named("Ada Example")] {
        block_on(clinic.care.update_patient(patient, details, ExpectedVersion::Any)).unwrap();
    }
    assert_eq!((clinic.journal(), block_on(clinic.care.patient(patient)).unwrap()), before);
}

#[test]
fn an_update_never_creates() {
    let clinic = Clinic::new();
    let update = block_on(clinic.care.update_patient(id(1), named("N"), ExpectedVersion::Any));
    assert!(is_missing(update, Kind::Patient));
    let key = medicine("Ibuprofen").key().clone();
    let update = block_on(clinic.care.update_item(key, ItemDetails::default(), ExpectedVersion::Any));
    assert!(is_missing(update, Kind::Item));
    assert!(clinic.journal().is_empty());
}

#[test]
fn a_stale_version_is_refused_and_the_present_one_taken() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let seen = block_on(clinic.care.patient(patient)).unwrap().version;
    let older = |age| PatientDetails { age: Age::try_from(age).unwrap().into(), ..PatientDetails::default() };
    let update = |age, versions: &[Seq]| {
        block_on(clinic.care.update_patient(patient, older(age), ExpectedVersion::OneOf(versions.to_vec())))
    };
    update(40, &[Seq::new(99), seen]).unwrap();
    assert!(matches!(update(41, &[seen]), Err(Error::Stale(Kind::Patient))));
    assert!(matches!(update(41, &[]), Err(Error::Stale(Kind::Patient))));
    assert_eq!(clinic.record(patient).age, Age::try_from(40).ok());
}

#[test]
fn the_first_spelling_of_a_medicine_stays() {
    let clinic = Clinic::new();
    clinic.stock("Ibuprofen  400", true);
    let again = block_on(clinic.care.add_item(medicine("IBUPROFEN 400"), ItemDetails::default()));
    assert!(is_conflict(again, Conflict::ItemExists));
    let details = ItemDetails { dosage: text("drops").into(), price: Patch::Clear, ..ItemDetails::default() };
    let key = medicine(" ibuprofen 400").key().clone();
    let item = block_on(clinic.care.update_item(key.clone(), details, ExpectedVersion::Any)).unwrap().record.item;
    assert_eq!(item.medicine.as_str(), "Ibuprofen  400");
    assert_eq!((item.dosage, item.price), (Some(text("drops")), None));
    block_on(clinic.care.remove_item(key.clone(), ExpectedVersion::Any)).unwrap();
    assert!(is_missing(block_on(clinic.care.item(key)), Kind::Item));
}

#[test]
fn voiding_a_patient_leaves_the_paid_invoices_and_nothing_else() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let paid = clinic.prescribe(patient, "a");
    let invoice = clinic.bill(paid);
    clinic.pay(invoice);
    let active = clinic.prescribe(patient, "b");
    let unpaid = clinic.bill(active);
    assert!(is_conflict(clinic.void(patient), Conflict::UnpaidInvoice));
    clinic.cancel(unpaid).unwrap();
    clinic.void(patient).unwrap();

    assert!(is_missing(clinic.void(patient), Kind::Patient));
    assert!(is_missing(block_on(clinic.care.history(patient)), Kind::Patient));
    for prescription in [paid, active] {
        assert!(is_missing(block_on(clinic.care.prescription(prescription)), Kind::Prescription));
    }
    let consultation = care_core::model::ConsultationId::FIRST;
    assert!(is_missing(block_on(clinic.care.consultation(consultation)), Kind::Consultation));
    assert_eq!(block_on(clinic.care.invoice(invoice)).unwrap().record.patient_id, patient);
    assert!(is_missing(block_on(clinic.care.pay_invoice(invoice)), Kind::Patient));
    assert!(block_on(clinic.care.patients(PatientFilter::default(), None, 9)).unwrap().items.is_empty());
}

#[test]
fn the_journal_says_who_did_what() {
    let clinic = Clinic::new();
    let desk = clinic.care.acting_as("front desk");
    let patient = block_on(desk.register_patient(named("Ada Example"))).unwrap();
    block_on(clinic.care.update_patient(patient.patient_id, named("Ada B."), ExpectedVersion::Any)).unwrap();
    let entries = clinic.journal();
    let said: Vec<_> =
        entries.iter().map(|e| (e.seq.value(), e.actor.as_str(), &*e.operation, e.at.to_string())).collect();
    let noon = "2026-03-15T12:00:00.000Z".to_owned();
    assert_eq!(said, [(1, "front desk", "addPatient", noon.clone()), (2, "service", "updatePatient", noon)]);
}

#[test]
fn a_write_answers_with_the_version_that_a_read_has() {
    let clinic = Clinic::new();
    let ada = block_on(clinic.care.register_patient(named("Ada"))).unwrap();
    assert_eq!(block_on(clinic.care.patient(ada.patient_id)).unwrap(), ada);
    let same = block_on(clinic.care.update_patient(ada.patient_id, named("Ada"), ExpectedVersion::Any)).unwrap();
    assert_eq!(same, ada);
    let renamed = block_on(clinic.care.update_patient(ada.patient_id, named("Ada B."), ExpectedVersion::Any)).unwrap();
    assert_eq!(block_on(clinic.care.patient(ada.patient_id)).unwrap(), renamed);
    assert!(renamed.version > ada.version);

    let live = block_on(clinic.care.prescribe(ada.patient_id, NewPrescription::of(medicine("a")))).unwrap();
    assert_eq!(block_on(clinic.care.prescription(live.prescription.prescription_id)).unwrap(), live);
    let invoice = block_on(clinic.care.issue_invoice(live.prescription.prescription_id)).unwrap().invoice;
    assert_eq!(block_on(clinic.care.invoice(invoice.invoice_id)).unwrap(), invoice);
    for _ in 0..2 {
        let paid = block_on(clinic.care.pay_invoice(invoice.invoice_id)).unwrap();
        assert_eq!(block_on(clinic.care.history(ada.patient_id)).unwrap(), paid);
    }
}

#[test]
fn no_change_is_made_under_a_name_that_an_audit_would_refuse() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    for name in ["", " desk", "front\ndesk", &"x".repeat(65)] {
        let care = clinic.care.acting_as(name);
        let at_actor = |refused: Result<(), Error>| match refused {
            Err(Error::Invalid(faults)) => faults.iter().any(|fault| fault.field == "actor"),
            _ => false,
        };
        assert!(at_actor(block_on(care.register_patient(named("Ada Example"))).map(drop)), "{name:?}");
        assert!(at_actor(block_on(care.note_read(Operation::GetPatient, RecordKey::Patient(patient)))), "{name:?}");
        assert!(at_actor(block_on(care.erase_patient(patient)).map(drop)), "{name:?}");
    }
    assert_eq!(clinic.journal().len(), 1);
}
