//! The small world of the random walks, whose few numbers and names make collisions frequent.

use std::ops::{Deref, DerefMut};

use care_core::{
    model::{
        ConsultationState, Date, Email, Fill, InQuery, InvoiceId, InvoiceState, LotKey, MedicineKey, MedicineName,
        MedicinePrefix, MovementKind, Name, NamePrefix, Patient, PatientId, PatientIds, Phone, PrescriptionState,
        ReceiptKind,
    },
    store::{Counter, Record, RecordKind, Series},
};

use crate::{dice::Dice, samples};

/// The numbers of patients. As texts they would sort in another order.
pub(super) const PATIENTS: [i64; 5] = [1, 2, 9, 10, i64::MAX];
/// The numbers of consultations, prescriptions and invoices, among them two that are one in a double.
pub(super) const NUMBERS: [i64; 12] = [1, 2, 3, 4, 5, 6, 9, 10, 100, 1 << 53, (1 << 53) + 1, i64::MAX - 1];

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
    PatientIds => ["2", "1,9,10", "3"].map(|text| InQuery::read(text.to_owned())).into_iter().flatten();
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

/// Dice, and which parameters of a filter get a value.
pub(super) struct Chooser<'a> {
    dice: &'a mut Dice,
    choice: Choice,
    /// The number of parameters that were asked for.
    pub(super) asked: usize,
}

#[derive(Clone, Copy)]
enum Choice {
    /// A third of them, at random.
    Random,
    /// Those whose bits are set, each the one at this place among the few.
    These { bits: usize, place: usize },
}

impl<'a> Chooser<'a> {
    /// Gives some parameters a random value.
    pub(super) const fn random(dice: &'a mut Dice) -> Self {
        Self { dice, choice: Choice::Random, asked: 0 }
    }

    /// Gives those parameters a value whose bits are set, each the one at this place among the few.
    pub(super) const fn these(dice: &'a mut Dice, bits: usize, place: usize) -> Self {
        Self { dice, choice: Choice::These { bits, place }, asked: 0 }
    }

    /// Returns the place of the next parameter's value among the few; `None` when it gets none.
    fn next(&mut self, few: usize, odds: u64) -> Option<usize> {
        let asked = self.asked;
        self.asked += 1;
        match self.choice {
            Choice::Random => {
                let place = self.dice.roll(few as u64) as usize;
                self.dice.one_in(odds).then_some(place)
            }
            Choice::These { bits, place } => (bits >> asked & 1 == 1).then_some(place % few),
        }
    }
}

/// The dice decide what no filter does.
impl Deref for Chooser<'_> {
    type Target = Dice;

    fn deref(&self) -> &Dice {
        self.dice
    }
}

impl DerefMut for Chooser<'_> {
    fn deref_mut(&mut self) -> &mut Dice {
        self.dice
    }
}

impl<T: Few> Fill<Option<T>> for Chooser<'_> {
    fn value(&mut self, _: &'static str) -> Option<T> {
        let mut few = T::few();
        self.next(few.len(), 3).map(|place| few.swap_remove(place))
    }
}

impl Fill<bool> for Chooser<'_> {
    fn value(&mut self, _: &'static str) -> bool {
        self.next(1, 2).is_some()
    }
}

/// Returns the forms of a kind of record that refers to no other; none of another kind, and none of keys, which have
/// cases of their own.
pub(super) fn forms(kind: RecordKind, name: &MedicineName, day: Date, number: i64) -> Vec<Record> {
    fn all<E: Into<Record>>(forms: impl IntoIterator<Item = E>) -> Vec<Record> {
        forms.into_iter().map(Into::into).collect()
    }
    match kind {
        RecordKind::Item => all(samples::item_forms(name)),
        RecordKind::Demand => all(samples::demand_forms(name, day)),
        RecordKind::RegularDemand => {
            all(samples::regular_demand_forms(name).into_iter().chain(samples::regular_demand_intervals(name)))
        }
        RecordKind::Stock => all(samples::stock_forms(name)),
        RecordKind::OpenLot => {
            let units = number.clamp(1, 1000);
            all(samples::open_lots(name).into_iter().map(|lot| samples::open_lot(name, lot.lot_id(), units)))
        }
        RecordKind::Movement => all(samples::movement_forms(number, name)),
        RecordKind::StockDay => all(samples::stock_day_forms(name, day)),
        RecordKind::Dispensing => all(samples::dispensing_forms(number, name)),
        RecordKind::Receipt => all(samples::receipt_forms(number)),
        RecordKind::Takings => all(samples::takings_keys(day).iter().flat_map(samples::takings_forms)),
        RecordKind::Counter => all(Series::ALL.map(|series| Counter { series, last: number })),
        RecordKind::Reply => all(samples::replies()),
        RecordKind::Patient
        | RecordKind::Voided
        | RecordKind::History
        | RecordKind::Consultation
        | RecordKind::Diagnosis
        | RecordKind::Prescription
        | RecordKind::Invoice
        | RecordKind::Key => Vec::new(),
    }
}
