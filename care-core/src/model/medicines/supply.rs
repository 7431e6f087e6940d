//! Quantities and intervals of prescriptions.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{EveryDays, PrescriptionId, Quantity};

/// The quantity of a prescription, and its interval when it recurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[record(document = "Supply", root = "Supply")]
#[record(details = SupplyDetails)]
pub struct Supply {
    /// The prescription.
    pub prescription_id: PrescriptionId,
    /// The units of one supply; absent means the default of the medicine's stock.
    #[field(edit)]
    pub quantity: Option<Quantity>,
    /// The interval between supplies of a regular prescription, in days; absent counts as 30.
    #[field(edit)]
    pub every_days: Option<EveryDays>,
}

/// The units of several prescriptions together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PrescribedUnits {
    /// The sum of the quantities, of prescriptions with a quantity.
    pub units: u64,
    /// The number of prescriptions without a quantity.
    pub unnamed: u64,
}

/// The demand of the active regular prescriptions of a medicine with one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refill {
    /// The interval between supplies, in days.
    pub every_days: EveryDays,
    /// The units of one supply to each of them.
    #[serde(flatten)]
    pub wanted: PrescribedUnits,
}

impl Supply {
    /// The interval of a regular prescription that names none, in days.
    pub const EVERY_DAYS: EveryDays = EveryDays::clamped(30);
}

impl PrescribedUnits {
    /// Returns the units of one prescription.
    pub fn of(quantity: Option<Quantity>) -> Self {
        match quantity {
            Some(quantity) => Self { units: quantity.value().unsigned_abs(), unnamed: 0 },
            None => Self { units: 0, unnamed: 1 },
        }
    }

    /// Returns the units, with `supply` for each prescription without a quantity.
    pub fn units(self, supply: Quantity) -> u64 {
        self.units.saturating_add(self.unnamed.saturating_mul(supply.value().unsigned_abs()))
    }

    /// Returns whether no prescription is counted.
    pub const fn is_none(&self) -> bool {
        self.units == 0 && self.unnamed == 0
    }

    /// Returns the units without `was` and with `is`. A count that is too low, as in a damaged store, stops at 0.
    #[must_use]
    pub const fn moved(self, was: Self, is: Self) -> Self {
        Self {
            units: self.units.saturating_add(is.units).saturating_sub(was.units),
            unnamed: self.unnamed.saturating_add(is.unnamed).saturating_sub(was.unnamed),
        }
    }
}
