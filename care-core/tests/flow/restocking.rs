//! The restock report and its counts.

use care_core::{
    audit,
    model::{Date, Demand, Patch, PatientId, PrescriptionDetails},
    operation::Operation,
    service::{ExpectedVersion, Recommendation, RestockItem, RestockPeriod},
    store::{Act, Change, Seen},
};
use futures_executor::block_on;

use crate::clinic::{Clinic, medicine, regular};

fn report(clinic: &Clinic) -> Vec<RestockItem> {
    let period = RestockPeriod::new(None, None, clinic.care.today().unwrap()).unwrap();
    block_on(clinic.care.restock(period, 1_000)).unwrap().items
}

fn of(clinic: &Clinic, name: &str) -> Option<RestockItem> {
    report(clinic).into_iter().find(|item| item.medicine.is_same(&medicine(name)))
}

#[test]
fn medicines_are_ranked_by_urgency() {
    let clinic = Clinic::new();
    let patients: Vec<PatientId> = (0..5).map(|_| clinic.patient()).collect();
    clinic.stock("quiet", true);
    clinic.stock("rising", true);
    clinic.stock("gone", false);
    for patient in &patients {
        clinic.prescribe(*patient, "rising");
    }
    clinic.prescribe(patients[0], "gone");
    clinic.prescribe(patients[0], "unknown");
    let ranked: Vec<_> = report(&clinic).iter().map(|item| (item.medicine.to_string(), item.recommendation)).collect();
    let expected = [
        ("gone", Recommendation::Now),
        ("unknown", Recommendation::Now),
        ("rising", Recommendation::Soon),
        ("quiet", Recommendation::None),
    ];
    assert_eq!(ranked, expected.map(|(name, recommendation)| (name.to_owned(), recommendation)));
}

#[test]
fn a_report_holds_the_most_urgent_medicines_and_says_that_there_are_others() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    clinic.stock("quiet", true);
    clinic.prescribe(patient, "gone");
    clinic.prescribe(patient, "unknown");
    let period = RestockPeriod::new(None, None, clinic.care.today().unwrap()).unwrap();
    for (limit, expected) in [(1, &["gone"][..]), (2, &["gone", "unknown"]), (3, &["gone", "unknown", "quiet"])] {
        let report = block_on(clinic.care.restock(period, limit)).unwrap();
        let names: Vec<_> = report.items.iter().map(|item| item.medicine.as_str()).collect();
        assert_eq!((names.as_slice(), report.more), (expected, limit < 3));
    }
}

#[test]
fn counts_of_many_days_and_medicines_are_added_up_page_by_page() {
    let clinic = Clinic::new();
    let counted = (0..2_500_u64).map(|number| {
        let day = Date::from_unix_days(20_000 + (number % 50).cast_signed()).unwrap();
        let medicine = medicine(&format!("m{}", number / 50));
        Change::put(Demand { prescribed: 2, regular: 1, dispensed: 1, ..Demand::new(medicine, day) })
    });
    let counted: Vec<_> = counted.collect();
    let act =
        Act { actor: "test".into(), operation: Operation::AddPrescription.into(), at: clinic.care.now(), until: None };
    block_on(clinic.care.store().transact(act, Box::new(move |_: &Seen| Ok(counted.clone().into())))).unwrap();
    let [from, to] = [20_000, 20_049].map(|day| Date::from_unix_days(day).ok());
    let period = RestockPeriod::new(from, to, clinic.care.today().unwrap()).unwrap();
    let report = block_on(clinic.care.restock(period, 1_000)).unwrap();
    assert_eq!(report.items.len(), 50);
    assert!(report.items.iter().all(|item| (item.prescribed, item.regular, item.dispensed) == (100, 50, 50)));
}

#[test]
fn counts_follow_prescriptions_through_their_lives() {
    let clinic = Clinic::new();
    let (ada, bob) = (clinic.patient(), clinic.patient());
    let recurring = clinic.prescribe_as(ada, "a", regular());
    let once = clinic.prescribe(bob, "A");
    let counts = |item: Option<RestockItem>| item.map(|i| (i.prescribed, i.regular, i.dispensed, i.unmet));
    assert_eq!(counts(of(&clinic, "a")), Some((2, 1, 0, 2)));
    for _ in 0..2 {
        clinic.pay(clinic.bill(recurring));
    }
    assert_eq!(counts(of(&clinic, "a")), Some((2, 1, 1, 1)));
    // An update moves the prescription to the recurring ones.
    let details = PrescriptionDetails { is_regular: Patch::Set(false), ..Default::default() };
    let key = medicine("a").key().clone();
    block_on(clinic.care.update_prescription(ada, key, details, ExpectedVersion::Any)).unwrap();
    assert_eq!(counts(of(&clinic, "a")), Some((2, 0, 1, 1)));
    clinic.withdraw(once).unwrap();
    assert_eq!(counts(of(&clinic, "a")), Some((1, 0, 1, 0)));
    // The paid prescription was dispensed, so it stays in the demand.
    clinic.withdraw(recurring).unwrap();
    assert_eq!(counts(of(&clinic, "a")), Some((1, 0, 1, 0)));
    block_on(audit::verify(clinic.care.store())).unwrap();
}

#[test]
fn what_a_voided_patient_was_dispensed_stays_counted() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    clinic.pay(clinic.bill(clinic.prescribe(patient, "a")));
    clinic.prescribe(patient, "b");
    clinic.pay(clinic.bill(clinic.prescribe_as(patient, "recurring", regular())));
    clinic.void(patient).unwrap();
    assert_eq!(of(&clinic, "a").map(|item| item.dispensed), Some(1));
    assert_eq!(of(&clinic, "b"), None);
    let recurring = of(&clinic, "recurring").unwrap();
    assert_eq!((recurring.prescribed, recurring.regular, recurring.dispensed, recurring.unmet), (1, 1, 1, 0));
    assert!(recurring.reasons.contains(&"active recurring prescriptions: 0".to_owned()));
    block_on(audit::verify(clinic.care.store())).unwrap();
}

#[test]
fn the_period_before_is_counted_apart() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    clinic.consult(patient, Some("01/12/2025"), &[], &["a"]).unwrap();
    let before = of(&clinic, "a");
    assert_eq!(before, None, "neither stocked, nor prescribed in the period, nor recurring");
    clinic.stock("a", true);
    let item = of(&clinic, "a").unwrap();
    assert_eq!((item.prescribed, item.previous_prescribed), (0, 1));
    assert_eq!(item.last_prescribed, "01/12/2025".parse().ok());
    assert_eq!(item.recommendation, Recommendation::None);
}
