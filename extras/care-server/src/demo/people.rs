//! The demo clinic's patients, all of them invented.

use care_core::{
    error::Error,
    model::{Address, Age, Allergies, Date, Email, Name, Patch, PatientDetails, Phone, ShortText, Weight},
};

use super::sound;

/// Name, mailbox, gender, age, weight in kilograms, whether insured, town.
type Person = (&'static str, &'static str, &'static str, i64, f64, bool, &'static str);

/// All people who register in the year, in this order.
#[rustfmt::skip] // One person a line.
pub(super) const PEOPLE: &[Person] = &[
    ("Ada Example", "ada", "female", 36, 61.5, true, "Sampleton"),
    ("Ben Specimen", "ben", "male", 52, 84.0, true, "Sampleton"),
    ("Clara Placeholder", "clara", "female", 8, 27.5, true, "Mockfield"),
    ("Dora Testcase", "dora", "female", 71, 66.0, true, "Testburgh"),
    ("Emil Muster", "emil", "male", 44, 79.5, false, "Sampleton"),
    ("Fay Fixture", "fay", "female", 29, 58.0, true, "Mockfield"),
    ("Gus Dummy", "gus", "male", 63, 91.5, true, "Testburgh"),
    ("Hedwig Sample", "hedwig", "female", 83, 55.0, true, "Sampleton"),
    ("Ivo Example", "ivo", "male", 19, 70.0, false, "Mockfield"),
    ("Jürgen Muster", "juergen", "male", 58, 88.0, true, "Testburgh"),
    ("Kim Stub", "kim", "non-binary", 33, 68.5, true, "Sampleton"),
    ("Lou Placeholder", "lou", "non-binary", 26, 63.0, true, "Mockfield"),
    ("Mona Mockup", "mona", "female", 47, 72.0, true, "Sampleton"),
    ("Emil Muster", "emil.muster", "male", 44, 81.0, false, "Testburgh"),
    ("Olga Specimen", "olga", "female", 67, 74.5, true, "Sampleton"),
    ("Pim Testcase", "pim", "male", 12, 41.0, true, "Mockfield"),
    ("Quinn Sample", "quinn", "female", 55, 77.0, true, "Testburgh"),
    ("Rosa Ejemplo", "rosa", "female", 31, 60.5, true, "Sampleton"),
    ("Sven Exempel", "sven", "male", 49, 86.5, true, "Mockfield"),
    ("Tove Fixture", "tove", "female", 76, 62.0, true, "Testburgh"),
    ("Ugo Esempio", "ugo", "male", 61, 90.0, true, "Sampleton"),
    ("Vera Nobody", "vera", "female", 42, 69.0, false, "Mockfield"),
    ("Walt Dummy", "walt", "male", 79, 73.5, true, "Sampleton"),
    ("Xenia Stub", "xenia", "female", 23, 57.5, true, "Testburgh"),
    ("Yann Exemple", "yann", "male", 35, 78.0, true, "Mockfield"),
    ("Zoë Voorbeeld", "zoe", "female", 50, 71.5, true, "Sampleton"),
    ("Abe Placeholder", "abe", "male", 5, 19.5, true, "Testburgh"),
    ("Bea Mockup", "bea", "female", 64, 80.0, true, "Sampleton"),
    ("Cem Örnek", "cem", "male", 28, 75.0, true, "Mockfield"),
    ("Dot Testcase", "dot", "female", 90, 49.5, true, "Testburgh"),
    ("Eli Specimen", "eli", "male", 16, 59.0, true, "Sampleton"),
    ("Flo Fixture", "flo", "female", 38, 65.0, false, "Mockfield"),
    ("Gil Example", "gil", "male", 57, 94.5, true, "Testburgh"),
    ("Hana Vzorová", "hana", "female", 45, 67.0, true, "Sampleton"),
    ("Ian Sample", "ian", "male", 70, 82.5, true, "Mockfield"),
    ("Joy Dummy", "joy", "female", 21, 56.0, true, "Sampleton"),
    ("Kai Nobody", "kai", "male", 1, 10.5, true, "Testburgh"),
    ("Łucja Przykład", "lucja", "female", 53, 70.5, true, "Mockfield"),
    ("Max Muster", "max", "male", 48, 85.0, true, "Sampleton"),
    ("Nia Stub", "nia", "female", 32, 64.5, true, "Testburgh"),
];

/// The two of [`PEOPLE`] who have one name and were born in one year: their places, with the month and the day.
const NAMESAKES: [(usize, i8, i8); 2] = [(4, 3, 12), (13, 9, 30)];

/// The age that both reach in the calendar year in which the demo begins.
const NAMESAKES_AGE: i16 = 44;

/// The person whose day of birth is known, the day of the demo with the birthday on it, and the age from then on.
const BIRTHDAY: (&str, i64, i16) = ("Clara Placeholder", 180, 8);

/// A person who must not get something, and what.
const ALLERGY: (&str, &str) = ("Ben Specimen", "Penicillin: rash, shortness of breath");

/// Returns the details of the person at this index of [`PEOPLE`], or `None` when there is none.
pub(super) fn person(place: usize, first: Date) -> Result<Option<PatientDetails>, Error> {
    let Some(&(name, mailbox, gender, age, weight, insured, town)) = PEOPLE.get(place) else {
        return Ok(None);
    };
    let born = born(place, first)?;
    // Where the day of birth is known, the age follows from it.
    let age = if born.is_some() { Patch::Keep } else { sound(Age::try_from(age))?.into() };
    let house = place % 17 + 1;
    // 01632 960000 to 960999 are reserved for drama in the United Kingdom.
    let phone = (441_632_960_000..441_633_000_000_i64).nth(place);
    let phone = phone.map(Phone::try_from).transpose();
    Ok(Some(PatientDetails {
        name: sound(Name::new(name))?.into(),
        phone: sound(phone)?.map(Into::into).unwrap_or_default(),
        insurance: insured.into(),
        birth_date: born.map(Into::into).unwrap_or_default(),
        age,
        address: sound(Address::new(format!("{house} Placeholder Lane, {town}")))?.into(),
        gender: sound(ShortText::new(gender))?.into(),
        weight: sound(Weight::try_from(weight))?.into(),
        email: sound(Email::new(format!("{mailbox}@example.org")))?.into(),
        location: sound(ShortText::new(town))?.into(),
        allergies: if name == ALLERGY.0 { sound(Allergies::new(ALLERGY.1))?.into() } else { Patch::Keep },
        ..PatientDetails::default()
    }))
}

/// Returns the day of birth of the person at this index of [`PEOPLE`], where it is known.
fn born(place: usize, first: Date) -> Result<Option<Date>, Error> {
    if PEOPLE.get(place).is_some_and(|person| person.0 == BIRTHDAY.0) {
        let birthday = sound(first.plus_days(BIRTHDAY.1))?;
        return sound(Date::new(birthday.year() - BIRTHDAY.2, birthday.month(), birthday.day())).map(Some);
    }
    for (own, month, day) in NAMESAKES {
        if own == place {
            return sound(Date::new(first.year() - NAMESAKES_AGE, month, day)).map(Some);
        }
    }
    Ok(None)
}
