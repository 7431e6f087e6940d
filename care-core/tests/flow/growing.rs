//! The stored data grow in proportion to the requests.

use care_core::{
    error::{Conflict, Error},
    model::{Consultation, Date, Demand, History, StockDetails, UnitName},
    operation::Operation,
    service::{Idempotency, NewMovement, OpeningLot, RestockPeriod},
    store::{Act, Change, Limit, Query, Seen},
};
use futures_executor::block_on;

use crate::clinic::{Clinic, lot, medicine};

/// Returns the length of the store's content, records and journal, as JSON.
fn stored(clinic: &Clinic) -> usize {
    let records = block_on(clinic.care.store().list(&Query::All { after: None }, Limit::ALL)).unwrap().items;
    let records = records.iter().map(|found| serde_json::to_string(&found.record).unwrap().len());
    let entries = clinic.journal();
    records.sum::<usize>() + entries.iter().map(|entry| serde_json::to_string(entry).unwrap().len()).sum::<usize>()
}

#[test]
fn a_visit_stores_what_it_adds_however_long_the_history_is() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let disease = "x".repeat(256);
    let diseases = [disease.as_str(); Consultation::MAX_DISEASES];
    let sent = diseases.len() * disease.len();
    let visit = |number: u64| {
        let before = stored(&clinic);
        let visit = clinic.consult(patient, None, &diseases, &["a"]).unwrap();
        let invoice = clinic.bill(visit.prescription_ids[0]);
        let once = Idempotency::new(format!("key-{number}")).unwrap();
        let paid = block_on(clinic.care.once(once).pay_invoice(invoice)).unwrap();
        assert_eq!(paid.record.history.len() as u64, number * 10);
        stored(&clinic) - before
    };
    let costs: Vec<_> = (1..=20).map(visit).collect();
    // Diseases are stored when they are recorded, and once more when the visit is counted; the rest is prescription,
    // invoice, receipt, takings, reply and their entries.
    let most = 3 * sent + 7_000;
    assert!(costs.iter().all(|cost| *cost < most), "{costs:?} for {sent} bytes each");
}

#[test]
fn what_becomes_of_a_prescription_writes_no_disease_again() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let disease = "x".repeat(256);
    let visit = clinic.consult(patient, None, &[disease.as_str(); 30], &["a", "b", "c"]).unwrap();
    let before = stored(&clinic);
    clinic.withdraw(visit.prescription_ids[0]).unwrap();
    clinic.withdraw(visit.prescription_ids[1]).unwrap();
    assert!(stored(&clinic) < before + 3_000);
}

#[test]
fn a_payment_repeated_is_answered_as_the_first_time() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let visit = clinic.consult(patient, None, &["gout"], &["a"]).unwrap();
    let invoice = clinic.bill(visit.prescription_ids[0]);
    let pay = || {
        let once = Idempotency::new("key").unwrap();
        block_on(clinic.care.once(once).pay_invoice(invoice)).unwrap()
    };
    let first = pay();
    assert_eq!((first.visits, first.history.len()), (1, 1));
    clinic.consult(patient, None, &["flu"], &[]).unwrap();
    assert_eq!(pay(), first);
    assert_eq!(clinic.history(patient).history.len(), 2);
}

#[test]
fn a_history_of_ten_thousand_visits_is_read_paid_for_and_voided() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    for _ in 1..History::MAX_DISEASES {
        clinic.consult(patient, None, &["a"], &[]).unwrap();
    }
    let last = clinic.consult(patient, None, &["b"], &["m"]).unwrap();
    let invoice = clinic.bill(last.prescription_ids[0]);
    let paid = clinic.pay(invoice);
    assert_eq!((paid.visits, paid.history.len() as u64), (History::MAX_DISEASES, History::MAX_DISEASES));
    assert_eq!(clinic.history(patient), paid);
    clinic.void(patient).unwrap();
}

#[test]
fn a_history_is_full_at_ten_thousand_diseases() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let most = usize::try_from(History::MAX_DISEASES).unwrap();
    for number in 0..most / 30 {
        // This holds before and after the visit is counted.
        let medicine = format!("m{number}");
        let medicines = if number % 100 == 0 { vec![medicine.as_str()] } else { Vec::new() };
        clinic.consult(patient, None, &["a"; 30], &medicines).unwrap();
    }
    let full = |diseases: &[&str]| clinic.consult(patient, None, diseases, &[]);
    let left = most % 30;
    assert!(matches!(full(&vec!["b"; left + 1]), Err(Error::Conflict(Conflict::HistoryFull))));
    full(&vec!["b"; left]).unwrap();
    assert!(matches!(full(&["c"]), Err(Error::Conflict(Conflict::HistoryFull))));
    full(&[]).unwrap();
    assert_eq!(clinic.history(patient).visits, 331);
}

#[test]
fn lots_are_followed_back_by_ten_thousand_movements() {
    let clinic = Clinic::new();
    clinic.stock("Ibuprofen", true);
    let key = || medicine("Ibuprofen").key().clone();
    let opening = vec![OpeningLot { lot: lot("A", "01/01/2090"), units: 5.try_into().unwrap() }];
    let unit = UnitName::new("tablets").unwrap();
    let first = block_on(clinic.care.start_stock(key(), unit, StockDetails::default(), opening)).unwrap();
    let receive = || {
        let (lot, units) = (lot("B", "01/01/2090"), 1.try_into().unwrap());
        let received = NewMovement::receipt(lot, units);
        block_on(clinic.care.move_stock(key(), received)).unwrap();
    };
    let then = || block_on(clinic.care.stock_as_of(key(), first.version));
    for _ in 0..10_000 {
        receive();
    }
    let past = then().unwrap().unwrap();
    assert_eq!((past.found.version, &past.found.record.shelf), (first.version, &first.record.shelf));
    receive();
    assert!(matches!(then(), Err(Error::Conflict(Conflict::TooLongAgo))));
    let item = block_on(clinic.care.item_as_of(key(), first.version));
    assert!(matches!(item, Err(Error::Conflict(Conflict::TooLongAgo))));
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
    let act = Act::new("test", Operation::AddPrescription, clinic.care.now());
    block_on(clinic.care.store().transact(act, Box::new(move |_: &Seen| Ok(counted.clone().into())))).unwrap();
    let [from, to] = [20_000, 20_049].map(|day| Date::from_unix_days(day).ok());
    let period = RestockPeriod::new(from, to, clinic.care.today().unwrap()).unwrap();
    let report = block_on(clinic.care.restock(period, 1_000)).unwrap();
    assert_eq!(report.items.len(), 50);
    assert!(report.items.iter().all(|item| (item.prescribed, item.regular, item.dispensed) == (100, 50, 50)));
}
