//! How much of a medicine a prescription is for.

use serde::{Deserialize, Serialize};

use super::{EveryDays, PrescribedUnits, PrescriptionId, Quantity};

/// How much of a medicine a prescription is for, and how often when it recurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Supply {
    /// The prescription.
    pub prescription_id: PrescriptionId,
    /// The units of one supply; absent means what the medicine's stock says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity>,
    /// How often it is supplied while it is regular, in days; absent counts as 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_days: Option<EveryDays>,
}

/// What the active regular prescriptions of a medicine with one interval take of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refill {
    /// The interval.
    pub every_days: EveryDays,
    /// What they are for.
    #[serde(flatten)]
    pub wanted: PrescribedUnits,
}

impl Supply {
    /// The interval of a regular prescription that names none, in days.
    pub const EVERY_DAYS: EveryDays = EveryDays::clamped(30);
}
