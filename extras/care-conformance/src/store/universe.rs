//! The small world of the random walks, whose few numbers and names make collisions frequent.

use std::ops::RangeInclusive;

use care_core::model::{
    ConsultationState, Date, Email, Fill, InQuery, InvoiceId, InvoiceState, LotKey, MedicineKey, MedicineName,
    MedicinePrefix, MovementKind, Name, NamePrefix, Patient, PatientId, PatientIds, Phone, PrescriptionState,
    ReceiptKind,
};

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

/// A type of which the small world has few values.
pub(super) trait Few: Sized {
    /// Returns some of them, and some that are not there.
    fn few() -> Vec<Self>;
}

macro_rules! few {
    ($($ty:ty => $values:expr;)*) => {
        $(impl Few for $ty {
            fn few() -> Vec<Self> {
                $values.into_iter().collect()
            }
        })*
    };
}

few! {
    PatientId => PATIENTS.map(samples::patient_id);
    PatientIds => ["2", "1,3,5", "9"].map(|text| InQuery::read(text.to_owned())).into_iter().flatten();
    InvoiceId => NUMBERS.map(samples::invoice_id);
    NamePrefix => ["", "a", "ada", "adam", "strass", "x"].map(NamePrefix::new);
    Phone => (1..3).filter_map(|number| Self::try_from(number).ok());
    Email => ["a@x", "A@x"].map(Self::new).into_iter().flatten();
    MedicineKey => medicines().map(|name| name.key().clone());
    MedicinePrefix => ["IBU", "s", "%", "strass", "x"].map(|text| InQuery::read(text.to_owned())).into_iter().flatten();
    LotKey => ["a 1", "A2", "none"].map(|text| InQuery::read(text.to_owned())).into_iter().flatten();
    Option<LotKey> => LotKey::few().into_iter().map(Some).chain([None]);
    Date => days().into_iter().chain([samples::date("31/01/2026")]);
    Box<str> => ["Front desk".into()];
    PrescriptionState => Self::ALL.iter().copied();
    ConsultationState => Self::ALL.iter().copied();
    InvoiceState => Self::ALL.iter().copied();
    MovementKind => Self::ALL.iter().copied();
    ReceiptKind => Self::ALL.iter().copied();
}

/// Gives a third of the parameters of a filter a random value.
pub(super) struct Rolled<'a>(pub(super) &'a mut Dice);

impl<T: Few> Fill<Option<T>> for Rolled<'_> {
    fn value(&mut self, _: &'static str) -> Option<T> {
        let value = self.0.pick(T::few());
        value.filter(|_| self.0.one_in(3))
    }
}

impl Fill<bool> for Rolled<'_> {
    fn value(&mut self, _: &'static str) -> bool {
        self.0.one_in(2)
    }
}

/// Gives those parameters of a filter a value whose bits are set: one of the few.
pub(super) struct Chosen {
    pub(super) bits: usize,
    /// The place of the value among the few.
    pub(super) place: usize,
}

impl Chosen {
    fn is_next(&mut self) -> bool {
        let is_set = self.bits & 1 == 1;
        self.bits >>= 1;
        is_set
    }
}

impl<T: Few> Fill<Option<T>> for Chosen {
    fn value(&mut self, _: &'static str) -> Option<T> {
        let mut few = T::few();
        let place = self.place % few.len();
        self.is_next().then(|| few.swap_remove(place))
    }
}

impl Fill<bool> for Chosen {
    fn value(&mut self, _: &'static str) -> bool {
        self.is_next()
    }
}
