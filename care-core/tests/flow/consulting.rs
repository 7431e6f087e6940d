//! Consultations and prescriptions.

use care_core::{
    error::{Conflict, Error, Kind},
    model::{ConsultationState, Patch, PrescriptionDetails, PrescriptionState},
    service::ExpectedVersion,
    store::PrescriptionFilter,
};
use futures_executor::block_on;

use crate::clinic::{Clinic, is_conflict, is_missing, medicine, regular, text};

#[test]
fn a_consultation_without_prescriptions_completes_at_once() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let consultation = clinic.consult(patient, Some("01/03/2026"), &["a", "b", "c", "d"], &[]).unwrap();
    assert_eq!(consultation.state, ConsultationState::Completed);
    let history = clinic.history(patient);
    assert_eq!((history.visits, history.history.len()), (1, 2));
    assert_eq!(history.lastvisit, "01/03/2026".parse().ok());
    assert_eq!(clinic.record(patient).lastvisit, "01/03/2026".parse().ok());
    // An earlier visit counts, but does not move `lastvisit` back.
    clinic.consult(patient, Some("01/02/2026"), &[], &[]).unwrap();
    let history = clinic.history(patient);
    assert_eq!((history.visits, history.lastvisit), (2, "01/03/2026".parse().ok()));
}

#[test]
fn a_consultation_may_be_dated_tomorrow_and_no_later() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    assert!(clinic.consult(patient, Some("16/03/2026"), &[], &[]).is_ok());
    let refused = clinic.consult(patient, Some("17/03/2026"), &["x"; 31], &[]);
    let Err(Error::Invalid(faults)) = refused else { panic!("{refused:?}") };
    assert_eq!(faults.iter().map(|fault| &*fault.field).collect::<Vec<_>>(), ["date", "diseases"]);
    assert_eq!(clinic.consult(patient, None, &["x"; 30], &[]).unwrap().date, "15/03/2026".parse().unwrap());
}

#[test]
fn a_consultation_is_all_or_nothing() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    clinic.prescribe(patient, "b");
    let before = clinic.journal();
    for medicines in [&["a", "b"][..], &["a", "A"], &["a", "c", " a "]] {
        assert!(is_conflict(clinic.consult(patient, None, &["x"], medicines), Conflict::AlreadyPrescribed));
    }
    assert_eq!(clinic.journal(), before);
    let next = clinic.consult(patient, None, &[], &["a"]).unwrap();
    assert_eq!(next.prescription_ids[0].value(), 2);
}

#[test]
fn a_prescription_takes_from_the_inventory_what_it_does_not_say() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    clinic.stock("Ibuprofen", true);
    let details = PrescriptionDetails { dosage: text("0-0-1").into(), price: Patch::Clear, ..Default::default() };
    let id = clinic.prescribe_as(patient, "IBUPROFEN", details);
    let live = block_on(clinic.care.prescription(id)).unwrap().record;
    assert_eq!(live.prescription.medicine.as_str(), "IBUPROFEN");
    assert_eq!(live.prescription.dosage, Some(text("0-0-1")));
    assert_eq!(live.prescription.price.map(|price| price.value()), Some(4));
    assert_eq!(live.prescription.currency.map(|c| c.to_string()).as_deref(), Some("EUR"));
    assert!(live.is_available);
}

#[test]
fn availability_is_the_inventorys_answer_at_this_moment() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let id = clinic.prescribe(patient, "Ibuprofen");
    let available = || block_on(clinic.care.prescription(id)).unwrap().record.is_available;
    assert!(!available());
    clinic.stock("ibuprofen", true);
    assert!(available());
    let key = medicine("ibuprofen").key().clone();
    let gone = care_core::model::ItemDetails { is_available: Patch::Set(false), ..Default::default() };
    block_on(clinic.care.update_item(key, gone, ExpectedVersion::Any)).unwrap();
    assert!(!available());
    let page = block_on(clinic.care.prescriptions(PrescriptionFilter::default(), None, 9)).unwrap();
    assert_eq!(page.items.iter().map(|item| item.record.is_available).collect::<Vec<_>>(), [false]);
}

#[test]
fn an_update_means_the_active_prescription_or_else_the_newest() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let update = |dosage: &str| {
        let details = PrescriptionDetails { dosage: text(dosage).into(), ..Default::default() };
        let key = medicine("A").key().clone();
        let updated = block_on(clinic.care.update_prescription(patient, key, details, ExpectedVersion::Any));
        updated.map(|live| live.prescription.prescription_id)
    };
    assert!(is_missing(update("x"), Kind::Prescription));
    let first = clinic.prescribe(patient, "a");
    clinic.pay(clinic.bill(first));
    assert_eq!(update("x").unwrap(), first);
    let second = clinic.prescribe(patient, "a");
    assert_eq!(update("y").unwrap(), second);
    clinic.pay(clinic.bill(second));
    assert_eq!(update("z").unwrap(), second);
    clinic.withdraw(second).unwrap();
    assert_eq!(update("w").unwrap(), first);
    clinic.withdraw(first).unwrap();
    assert!(is_missing(update("v"), Kind::Prescription));
}

#[test]
fn withdrawing_the_last_open_prescription_completes_the_consultation() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let consultation = clinic.consult(patient, None, &["flu"], &["a", "b"]).unwrap();
    let [a, b] = consultation.prescription_ids[..] else { panic!() };
    clinic.withdraw(a).unwrap();
    assert_eq!(clinic.history(patient).visits, 0);
    assert!(is_missing(clinic.withdraw(a), Kind::Prescription));
    clinic.withdraw(b).unwrap();
    assert_eq!(clinic.history(patient).visits, 1);
    let now = block_on(clinic.care.consultation(consultation.consultation_id)).unwrap().record;
    assert_eq!((now.state, now.prescription_ids.len()), (ConsultationState::Completed, 0));
}

#[test]
fn a_prescriptions_own_consultation_goes_with_it() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let id = clinic.prescribe(patient, "a");
    let consultation = block_on(clinic.care.prescription(id)).unwrap().record.prescription.consultation_id;
    clinic.withdraw(id).unwrap();
    assert_eq!(clinic.history(patient).visits, 0);
    assert!(is_missing(block_on(clinic.care.consultation(consultation)), Kind::Consultation));
}

#[test]
fn a_counted_visit_stays_counted_when_its_regular_prescription_is_withdrawn() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let id = clinic.prescribe_as(patient, "a", regular());
    clinic.pay(clinic.bill(id));
    let state = |id| block_on(clinic.care.prescription(id)).unwrap().record.prescription.state;
    assert_eq!(state(id), PrescriptionState::Active);
    clinic.withdraw(id).unwrap();
    assert_eq!(clinic.history(patient).visits, 1);
}
