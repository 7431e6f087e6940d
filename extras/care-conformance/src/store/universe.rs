//! The small world of the random walks, whose few numbers and names make collisions frequent.

use std::ops::RangeInclusive;

use care_core::model::{Date, Email, MedicineName, Name, Patient, Phone};

use crate::{dice::Dice, samples};

pub(super) const PATIENTS: RangeInclusive<i64> = 1..=5;
/// The numbers of consultations, prescriptions and invoices.
pub(super) const NUMBERS: RangeInclusive<i64> = 1..=12;

/// Returns four names of three medicines.
pub(super) fn medicines() -> [MedicineName; 4] {
    ["Ibuprofen", " IBUPROFEN", "Stra\u{df}e", "%"].map(samples::medicine)
}

pub(super) fn days() -> [Date; 3] {
    ["31/12/2025", "01/01/2026", "02/01/2026"].map(samples::date)
}

pub(super) fn medicine(dice: &mut Dice) -> MedicineName {
    dice.pick(medicines()).expect("there are some")
}

/// Returns a patient with a random form.
pub(super) fn patient(dice: &mut Dice, number: i64) -> Patient {
    let forms = dice.pick(samples::patient_forms(number)).expect("there are some");
    if dice.one_in(2) {
        return forms;
    }
    Patient { name: name(dice), phone: phone(dice), email: email(dice), ..forms }
}

fn name(dice: &mut Dice) -> Option<Name> {
    let text = dice.pick(["Ada", "ADAM", "Bob", "Stra\u{df}e"])?;
    Name::new(text).ok().filter(|_| dice.roll(4) > 0)
}

pub(super) fn phone(dice: &mut Dice) -> Option<Phone> {
    Phone::try_from(dice.roll(3).cast_signed()).ok()
}

pub(super) fn email(dice: &mut Dice) -> Option<Email> {
    Email::new(dice.pick(["a@x", "A@x", ""])?).ok()
}
