//! What was prescribed, counted: the figures behind the restock report.

use serde::{Deserialize, Serialize};

use super::{Date, MedicineName, Quantity, Refill};

/// How many prescriptions of one medicine were made on one day. One that was withdrawn counts only if it was paid.
///
/// Kept up to date by every decision that touches a prescription, so that a report over any period reads one row
/// for each medicine and day and never scans prescriptions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demand {
    /// The medicine, in the spelling that was prescribed first.
    pub medicine: MedicineName,
    /// The day of prescribing.
    pub day: Date,
    /// How many were prescribed on the day.
    pub prescribed: u64,
    /// How many of those are recurring.
    pub regular: u64,
    /// How many of those were paid.
    pub dispensed: u64,
    /// What those that do not recur are for.
    #[serde(default, skip_serializing_if = "PrescribedUnits::is_none")]
    pub wanted: PrescribedUnits,
    /// What those of them are for that are active and have no unpaid invoice.
    #[serde(default, skip_serializing_if = "PrescribedUnits::is_none")]
    pub waiting: PrescribedUnits,
}

/// What prescriptions are for, together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PrescribedUnits {
    /// The units of those that name a quantity.
    pub units: u64,
    /// The number of those that name none.
    pub unnamed: u64,
}

/// How many recurring prescriptions of one medicine are active now, whenever they were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The medicine, in the spelling that was prescribed first.
    pub medicine: MedicineName,
    /// The active recurring prescriptions.
    pub active_regular: u64,
    /// What they take, by interval, the shortest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refills: Vec<Refill>,
}

impl Demand {
    /// A day on which nothing was prescribed yet.
    pub fn new(medicine: MedicineName, day: Date) -> Self {
        let nothing = PrescribedUnits::default();
        Self { medicine, day, prescribed: 0, regular: 0, dispensed: 0, wanted: nothing, waiting: nothing }
    }
}

impl Usage {
    /// Nothing that recurs.
    pub const fn new(medicine: MedicineName) -> Self {
        Self { medicine, active_regular: 0, refills: Vec::new() }
    }

    /// Takes out what a prescription took, and enters what it takes instead.
    pub fn refill(&mut self, was: Option<Refill>, is: Option<Refill>) {
        let nothing = PrescribedUnits::default();
        let moves = was.map(|was| (was.every_days, was.wanted, nothing));
        for (every_days, was, is) in moves.into_iter().chain(is.map(|is| (is.every_days, nothing, is.wanted))) {
            let place = self.refills.binary_search_by_key(&every_days, |refill| refill.every_days);
            let place = place.unwrap_or_else(|place| {
                self.refills.insert(place, Refill { every_days, wanted: nothing });
                place
            });
            let refill = &mut self.refills[place];
            refill.wanted = refill.wanted.moved(was, is);
            if refill.wanted.is_none() {
                self.refills.remove(place);
            }
        }
    }
}

impl PrescribedUnits {
    /// What one prescription is for.
    pub fn of(quantity: Option<Quantity>) -> Self {
        match quantity {
            Some(quantity) => Self { units: quantity.value().unsigned_abs(), unnamed: 0 },
            None => Self { units: 0, unnamed: 1 },
        }
    }

    /// The units, where a prescription that names none is for `supply`.
    pub fn units(self, supply: Quantity) -> u64 {
        self.units.saturating_add(self.unnamed.saturating_mul(supply.value().unsigned_abs()))
    }

    /// Whether it is nothing.
    pub const fn is_none(&self) -> bool {
        self.units == 0 && self.unnamed == 0
    }

    /// Without what was, and with what is instead. A count that a damaged store lost ends at nothing.
    #[must_use]
    pub const fn moved(self, was: Self, is: Self) -> Self {
        Self {
            units: self.units.saturating_add(is.units).saturating_sub(was.units),
            unnamed: self.unnamed.saturating_add(is.unnamed).saturating_sub(was.unnamed),
        }
    }
}
