//! Quantities and intervals of prescriptions.

use serde::{Deserialize, Serialize};

use super::{EveryDays, PrescribedUnits, PrescriptionId, Quantity};

/// The quantity of a prescription, and its interval when it recurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Supply {
    /// The prescription.
    pub prescription_id: PrescriptionId,
    /// The units of one supply; absent means the default of the medicine's stock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity>,
    /// The interval between supplies of a regular prescription, in days; absent counts as 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_days: Option<EveryDays>,
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
