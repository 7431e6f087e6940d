//! The patients of the random days: their ages, and what they must not get.

use care_core::model::{Allergies, Date, Patch, PatientDetails, PatientId};
use futures_executor::block_on;

use super::Days;

/// Counts the birthdays up to a day, one by one. That of a person born on 29 February is on 1 March of years without
/// that day.
fn birthdays(born: Date, today: Date) -> i64 {
    let birthday = |year| Date::new(year, born.month(), born.day()).unwrap_or_else(|_| Date::new(year, 3, 1).unwrap());
    (born.year() + 1..=today.year()).map(|year| i64::from(birthday(year) <= today)).sum()
}

impl Days {
    /// Registers a patient; mostly with a day of birth, and then often with a birthday around these days.
    pub(super) fn register(&mut self) -> PatientId {
        let today = self.today();
        let born = match self.dice.roll(4) {
            0 => None,
            1 => Some(Date::from_unix_days(today.unix_days() - self.dice.number(40_000)).unwrap()),
            2 => Some(Date::new(today.year() - 4 * i16::try_from(self.dice.roll(25)).unwrap(), 2, 29).unwrap()),
            _ => {
                let near = today.plus_days(self.dice.number(5) - 2).unwrap();
                let year = near.year() - 1 - i16::try_from(self.dice.roll(90)).unwrap();
                Some(Date::new(year, near.month(), near.day()).unwrap())
            }
        };
        let allergies = self.dice.pick([None, Some("Penicillin"), Some("Latex\nnuts")]).unwrap();
        let details = PatientDetails {
            birth_date: born.map_or(Patch::Keep, Patch::Set),
            allergies: allergies.map_or(Patch::Keep, |text| Allergies::new(text).unwrap().into()),
            ..PatientDetails::default()
        };
        let patient = block_on(self.care.register_patient(details)).unwrap();
        assert_eq!(patient.age.map(|age| age.value()), born.map(|born| birthdays(born, today)));
        self.recount.people.extend(born.map(|born| (patient.patient_id, born, allergies)));
        patient.patient_id
    }

    /// Checks that the patients have the ages and the allergies of the recount.
    pub(super) fn compare_people(&self) {
        let today = self.today();
        for (id, born, allergies) in &self.recount.people {
            let patient = block_on(self.care.patient(*id)).unwrap().record;
            assert_eq!(patient.age.map(|age| age.value()), Some(birthdays(*born, today)), "{born} on {today}");
            assert_eq!(patient.allergies.as_ref().map(|text| text.as_str()), *allergies);
        }
    }
}
