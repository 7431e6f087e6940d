//! Patients and their histories.

use care_core::model::{Address, Age, Email, History, Name, Patient, Phone, ShortText, Weight};

use super::{
    texts::every_plane,
    values::{date, first_day, last_day, legal, medicine, patient_id},
};

/// Returns an ordinary patient with every field.
pub fn patient(number: i64) -> Patient {
    Patient {
        name: Some(legal(Name::new("Ada Example"))),
        phone: Some(legal(Phone::try_from(441_632_960_001))),
        insurance: Some(true),
        age: Some(legal(Age::try_from(36))),
        address: Some(legal(Address::new("1 Sample Street\nSampleton"))),
        gender: Some(legal(ShortText::new("female"))),
        weight: Some(legal(Weight::try_from(61.5))),
        email: Some(legal(Email::new("ada@example.org"))),
        location: Some(legal(ShortText::new("Sampleton"))),
        lastvisit: Some(date("31/01/2026")),
        ..Patient::new(patient_id(number))
    }
}

/// Returns a patient without optional fields, an ordinary one, and two with every field at its upper or lower limit.
pub fn patient_forms(number: i64) -> Vec<Patient> {
    let nothing = Patient::new(patient_id(number));
    let email = format!("{}@{}", every_plane(200), every_plane(53));
    let most = Patient {
        name: Some(legal(Name::new(every_plane(Name::MAX)))),
        phone: Some(legal(Phone::try_from(Phone::MAX))),
        insurance: Some(true),
        age: Some(legal(Age::try_from(Age::MAX))),
        address: Some(legal(Address::new(every_plane(Address::MAX)))),
        gender: Some(legal(ShortText::new(every_plane(ShortText::MAX)))),
        weight: Some(legal(Weight::try_from(Weight::MAX))),
        email: Some(legal(Email::new(email))),
        location: Some(legal(ShortText::new("\n".repeat(ShortText::MAX)))),
        lastvisit: Some(last_day()),
        ..nothing.clone()
    };
    let least = Patient {
        name: Some(legal(Name::new("a"))),
        phone: Some(legal(Phone::try_from(Phone::MIN))),
        insurance: Some(false),
        age: Some(legal(Age::try_from(Age::MIN))),
        address: Some(legal(Address::new(""))),
        gender: Some(legal(ShortText::new(""))),
        weight: Some(legal(Weight::try_from(f64::from_bits(1)))),
        email: Some(legal(Email::new("a@b"))),
        location: Some(legal(ShortText::new(""))),
        lastvisit: Some(first_day()),
        ..nothing.clone()
    };
    vec![nothing, patient(number), most, least]
}

/// Returns a history without a visit, an ordinary one, and one with the largest counts.
pub fn history_forms(patient: i64) -> Vec<History> {
    let nothing = History::new(patient_id(patient));
    let mut usual = History {
        medicine: Some(medicine("Ibuprofen 400")),
        dosage: Some(legal(ShortText::new("1-0-1"))),
        diseases: 6,
        ..nothing.clone()
    };
    usual.count_visit(date("30/01/2026"));
    usual.count_visit(date("31/01/2026"));
    let most = History {
        medicine: Some(medicine(&every_plane(128))),
        dosage: Some(legal(ShortText::new(every_plane(ShortText::MAX)))),
        diseases: i64::MAX as u64,
        // Not every store has integers above the signed 64-bit range.
        visits: i64::MAX as u64,
        lastvisit: Some(last_day()),
        ..nothing.clone()
    };
    vec![nothing, usual, most]
}
