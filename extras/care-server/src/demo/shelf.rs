//! The medicines that the demo clinic's pharmacy tracks, and the events on their shelf.

use care_core::{
    error::Error,
    model::{Amount, Patch, Policy, StockDetails, UnitName},
};

use super::sound;

/// A tracked medicine.
#[derive(Debug)]
pub(super) struct Shelf {
    pub(super) name: &'static str,
    unit: &'static str,
    pack: i64,
    /// The units of one supply.
    supply: i64,
    /// The number of supplies that are there when the year begins.
    pub(super) supplies: i64,
    plan: Plan,
}

/// The policy of a medicine.
#[derive(Debug)]
enum Plan {
    Cover,
    Service,
    MinMax(i64, i64),
    None,
}

/// Something that happens on the shelf on one day.
#[derive(Debug)]
pub(super) enum Event {
    /// The manufacturer asks to stop dispensing it for now.
    Hold,
    /// The manufacturer recalls the first lot.
    Recall,
    /// The remaining lots are found to be safe.
    Lift,
    /// The first lot is counted, and differs from the books by this many units.
    Count(i64),
    /// This many units of the first lot are spoilt.
    Damage(i64),
    /// A delivery is entered twice by mistake, and the second entry is reversed.
    Twice,
}

const fn shelf(name: &'static str, (unit, pack, supply): (&'static str, i64, i64), supplies: i64, plan: Plan) -> Shelf {
    Shelf { name, unit, pack, supply, supplies, plan }
}

/// Every medicine of the pharmacy but one, which is left untracked.
pub(super) const SHELVES: &[Shelf] = &[
    shelf("Activated charcoal", ("capsules", 30, 30), 2, Plan::MinMax(30, 90)),
    shelf("Ambroxol 30", ("tablets", 20, 20), 5, Plan::Cover),
    shelf("Amlodipine 5", ("tablets", 100, 90), 4, Plan::Cover),
    shelf("Amoxicillin 500", ("capsules", 21, 21), 4, Plan::Cover),
    shelf("Apixaban 5", ("tablets", 60, 180), 3, Plan::Cover),
    shelf("Atorvastatin 20", ("tablets", 90, 90), 4, Plan::Cover),
    shelf("Budesonide inhaler", ("inhalers", 1, 1), 4, Plan::Cover),
    shelf("Colecalciferol 1000", ("tablets", 90, 90), 4, Plan::Cover),
    shelf("Diclofenac 75", ("tablets", 20, 20), 4, Plan::Cover),
    shelf("Fosfomycin 3 g", ("sachets", 1, 1), 5, Plan::Cover),
    shelf("Hydrocortisone cream", ("tubes", 1, 1), 5, Plan::Cover),
    shelf("Ibuprofen 400", ("tablets", 20, 20), 6, Plan::Service),
    shelf("Levothyroxine 75", ("tablets", 50, 90), 4, Plan::Cover),
    shelf("Melatonin 2", ("tablets", 30, 30), 3, Plan::None),
    shelf("Metformin 850", ("tablets", 120, 180), 4, Plan::Cover),
    shelf("Ofloxacin eye drops", ("bottles", 1, 1), 4, Plan::Cover),
    shelf("Ondansetron 4", ("tablets", 10, 10), 4, Plan::Cover),
    shelf("Oral rehydration salts", ("sachets", 10, 10), 6, Plan::Service),
    shelf("Pantoprazole 20", ("tablets", 28, 14), 5, Plan::Cover),
    shelf("Paracetamol 500", ("tablets", 20, 20), 6, Plan::Service),
    shelf("Ramipril 5", ("tablets", 100, 90), 4, Plan::Cover),
    shelf("Salbutamol inhaler", ("inhalers", 1, 1), 5, Plan::Cover),
    shelf("Sumatriptan 50", ("tablets", 6, 6), 5, Plan::MinMax(12, 36)),
    shelf("Tetanus vaccine", ("syringes", 10, 1), 10, Plan::MinMax(5, 20)),
    shelf("Adrenaline 1", ("ampoules", 10, 1), 10, Plan::MinMax(5, 20)),
    shelf("Levothyroxine 50", ("tablets", 50, 90), 2, Plan::Cover),
    shelf("Metformin 500", ("tablets", 120, 180), 2, Plan::Cover),
    shelf("Noradrenaline 1", ("ampoules", 10, 1), 10, Plan::MinMax(5, 20)),
    shelf("Paracetamol 1000", ("tablets", 10, 10), 3, Plan::Cover),
];

/// The days on which the wholesaler lacks a medicine: the first, the last, and the medicine.
pub(super) const SHORTAGES: &[(i64, i64, &str)] = &[
    (170, 235, "Ibuprofen 400"),
    (310, 365, "Ondansetron 4"),
    (330, 365, "Ramipril 5"),
    (350, 365, "Tetanus vaccine"),
];

/// The other events: the day, the medicine, the event.
pub(super) const EVENTS: &[(i64, &str, Event)] = &[
    (64, "Pantoprazole 20", Event::Damage(14)),
    (90, "Levothyroxine 75", Event::Twice),
    (118, "Salbutamol inhaler", Event::Hold),
    (119, "Salbutamol inhaler", Event::Recall),
    (121, "Salbutamol inhaler", Event::Lift),
    (182, "Paracetamol 500", Event::Count(-4)),
    (182, "Hydrocortisone cream", Event::Count(1)),
    (352, "Tetanus vaccine", Event::Damage(6)),
];

impl Shelf {
    /// Returns how many units are there when the year begins.
    pub(super) const fn opening(&self) -> i64 {
        self.supply * self.supplies
    }

    pub(super) fn unit(&self) -> Result<UnitName, Error> {
        sound(UnitName::new(self.unit))
    }

    pub(super) fn details(&self) -> Result<StockDetails, Error> {
        let plain = StockDetails {
            pack_units: Patch::Set(sound(self.pack.try_into())?),
            supply_units: Patch::Set(sound(self.supply.try_into())?),
            keep_days: Patch::Set(sound(7.try_into())?),
            ..StockDetails::default()
        };
        let level = |units: i64| sound(Amount::try_from(units)).map(Patch::Set);
        Ok(match self.plan {
            Plan::Cover => plain,
            Plan::Service => StockDetails { policy: Patch::Set(Policy::Service), ..plain },
            Plan::MinMax(min, max) => {
                StockDetails { policy: Patch::Set(Policy::MinMax), min: level(min)?, max: level(max)?, ..plain }
            }
            Plan::None => StockDetails { policy: Patch::Set(Policy::None), ..plain },
        })
    }
}
