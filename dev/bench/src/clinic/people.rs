//! Invented people. The same number always gives the same person.

use care_core::model::{Age, Email, Invalid, Name, Patient, PatientDetails, PatientId, Phone, ShortText, Weight};

#[rustfmt::skip]
const FIRST: [&str; 40] = [
    "Ada", "Ben", "Clara", "Dora", "Emil", "Fay", "Gus", "Hedwig", "Ivo", "Jürgen", "Kim", "Lou", "Mona", "Ned",
    "Olga", "Pim", "Quinn", "Rosa", "Sven", "Tove", "Ugo", "Vera", "Walt", "Xenia", "Yann", "Zoe", "Amina", "Bilal",
    "Chen", "Deniz", "Elif", "Farid", "Goran", "Hana", "Ines", "Jamal", "Kofi", "Leila", "Mei", "Noor",
];

const HEADS: [&str; 16] = [
    "Ash", "Birch", "Clay", "Dun", "Elm", "Fern", "Glen", "Hay", "Iron", "Juniper", "King", "Lark", "Mill", "North",
    "Oak", "Pine",
];

const TAILS: [&str; 16] = [
    "brook", "bury", "combe", "croft", "dale", "field", "ford", "gate", "ham", "hurst", "ley", "mere", "stead", "ton",
    "well", "worth",
];

/// The number of neighbours with one family name. Patients that are registered together then stand together in an
/// index, like those of one town.
const FAMILY: u64 = 1000;

/// Returns the name of the patient with this number.
pub(crate) fn name(number: u64) -> String {
    let pick = |names: &[&'static str], number: u64| names[(number % names.len() as u64) as usize];
    let family = (number.saturating_sub(1)) / FAMILY;
    format!("{} {}{}", pick(&FIRST, number), pick(&HEADS, family / 16), pick(&TAILS, family))
}

/// Returns the telephone number of the patient with this number, which no other patient has.
pub(crate) const fn phone(number: u64) -> i64 {
    441_632_000_000 + number.cast_signed()
}

/// Returns the details of the patient with this number.
pub(crate) fn details(number: u64) -> Result<PatientDetails, Invalid> {
    let of = |count: u64| (number % count).cast_signed();
    Ok(PatientDetails {
        name: Name::new(name(number))?.into(),
        phone: Phone::try_from(phone(number))?.into(),
        insurance: (!number.is_multiple_of(3)).into(),
        age: Age::try_from(of(100))?.into(),
        address: care_core::model::Address::new(format!("{} Sample Street", of(200)))?.into(),
        gender: ShortText::new(if number.is_multiple_of(2) { "female" } else { "male" })?.into(),
        weight: Weight::try_from(40.5 + of(80) as f64)?.into(),
        email: email(number)?.into(),
        location: ShortText::new(format!("Sampleton {}", of(50)))?.into(),
        ..PatientDetails::default()
    })
}

/// Gives the patient another identity: every value that must differ between two patients.
pub(crate) fn rename(patient: &mut Patient, id: PatientId) -> Result<(), Invalid> {
    let number = id.value().cast_unsigned();
    patient.patient_id = id;
    patient.name = Some(Name::new(name(number))?);
    patient.phone = Some(Phone::try_from(phone(number))?);
    patient.email = Some(email(number)?);
    Ok(())
}

fn email(number: u64) -> Result<Email, Invalid> {
    Email::new(format!("patient{number}@example.org"))
}
