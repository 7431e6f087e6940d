//! Every value reads back as it was put, including extreme ones.

use std::fmt::Debug;

use care_core::{
    model::{Diagnosis, Disease, Item, Movement, Name, Patient, Scalar, ShortText, Stock, StockSettings, Weight},
    store::{Change, Record},
};

use crate::{
    samples,
    store::{clinic, subject::Subject},
};

fn legal<T, E: Debug>(value: Result<T, E>) -> T {
    value.expect("a legal value")
}

pub(in crate::store) fn texts_read_back_to_the_letter(subject: Subject) {
    for text in samples::texts() {
        let short = legal(ShortText::new(text.clone()));
        let patient = Patient {
            gender: Some(short.clone()),
            location: Some(short.clone()),
            name: Name::new(text.clone()).ok(),
            ..samples::patient(7)
        };
        let diagnosis = Diagnosis {
            diseases: Disease::new(text).into_iter().collect(),
            ..samples::diagnosis_forms(3, 7).swap_remove(0)
        };
        subject.commit(vec![
            Change::put(patient.clone()),
            Change::put(clinic::consultation(3, 7)),
            Change::put(diagnosis.clone()),
        ]);
        let (person, found) = subject.ask(|seen| {
            let patient = seen.get::<Patient>(samples::patient_id(7))?;
            let found = seen.get::<Diagnosis>(samples::consultation_id(3))?;
            Ok((patient.map(|p| p.record.clone()), found.map(|d| d.record.clone())))
        });
        assert_eq!((person, found), (Some(patient), Some(diagnosis)));
    }
}

pub(in crate::store) fn weights_read_back_to_the_bit(subject: Subject) {
    let weights = [
        f64::from_bits(1),
        f64::MIN_POSITIVE,
        1e-300,
        0.1 + 0.2,
        61.35,
        70.0,
        1.0_f64.next_down(),
        1.0_f64.next_up(),
        1000.0_f64.next_down(),
        1000.0,
    ];
    for kilograms in weights {
        subject.put(Patient { weight: Some(legal(Weight::try_from(kilograms))), ..samples::patient(7) });
        let found = subject.get::<Patient>(samples::patient_id(7));
        let weight = found.and_then(|found| found.record.weight);
        assert_eq!(weight.map(|weight| weight.kilograms().to_bits()), Some(kilograms.to_bits()));
        // The journal stores values in another form than records.
        let change = subject.last_changes().and_then(|mut changes| changes.pop());
        let Some(Change::Put(Record::Patient(patient))) = change else {
            panic!("the last entry puts the patient");
        };
        let weight = patient.weight.map(|weight| weight.kilograms().to_bits());
        assert_eq!(weight, Some(kilograms.to_bits()));
    }
}

pub(in crate::store) fn dates_read_back(subject: Subject) {
    let days = [
        "01/01/1900",
        "28/02/1900",
        "01/03/1900",
        "31/12/1969",
        "01/01/1970",
        "29/02/2000",
        "19/01/2038",
        "31/12/9999",
    ];
    for day in days.map(samples::date) {
        subject.put(Patient { lastvisit: Some(day), ..samples::patient(7) });
        let found = subject.get::<Patient>(samples::patient_id(7));
        assert_eq!(found.and_then(|found| found.record.lastvisit), Some(day));
    }
}

// A schema allows what its release did. These are within it, and beyond a rule in code.
pub(in crate::store) fn values_are_read_that_todays_rules_refuse(subject: Subject) {
    let blank = || " ".to_owned();
    let patient =
        Patient { name: Some(stored(blank())), email: Some(stored("nowhere".to_owned())), ..samples::patient(7) };
    let name = samples::medicine("Salep");
    let item = Item { currency: Some(stored("BGN".to_owned())), ..samples::item(&name) };
    let stock = samples::stock(&name);
    let stock = Stock { settings: StockSettings { unit: stored(blank()), ..stock.settings }, ..stock };
    let movement = Movement { lot: Some(stored(" A\n".to_owned())), ..samples::movement(1, &name) };
    let records: [Record; 4] = [patient.into(), item.into(), stock.into(), movement.into()];
    subject.commit(records.iter().cloned().map(Change::Put).collect());
    for record in records {
        assert_eq!(subject.record(record.key()).map(|found| found.record), Some(record));
    }
}

fn stored<T: Scalar>(raw: T::Raw) -> T {
    legal(T::from_stored(raw))
}
