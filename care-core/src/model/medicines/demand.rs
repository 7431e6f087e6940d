//! Counts of prescriptions, from which the restock report is computed.

use care_derive::Record;

use crate::model::{Date, EveryDays, MedicineName, PrescribedUnits, Refill};

/// The number of prescriptions of one medicine on one day. A withdrawn one counts only if it was paid.
///
/// Every decision that changes a prescription updates it, so that a report over any period reads one row for each
/// medicine and day instead of the prescriptions.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "demand", key(day, medicine_key), keyed(medicine))]
pub struct Demand {
    /// The medicine, in the spelling that was prescribed first.
    pub medicine: MedicineName,
    /// The day of prescribing.
    pub day: Date,
    /// The number prescribed on the day.
    pub prescribed: u64,
    /// The number of those that recur.
    pub regular: u64,
    /// The number of those that were paid.
    pub dispensed: u64,
    /// The units of those that do not recur.
    #[serde(default, skip_serializing_if = "PrescribedUnits::is_none")]
    #[field(columns(units, unnamed))]
    pub wanted: PrescribedUnits,
    /// The units of those that do not recur, are active and have no unpaid invoice.
    #[serde(default, skip_serializing_if = "PrescribedUnits::is_none")]
    #[field(columns(units, unnamed))]
    pub waiting: PrescribedUnits,
}

/// The active recurring prescriptions of one medicine with one interval, independent of the day on which they were
/// made.
///
/// Each interval has a record of its own, so that a decision writes the intervals that it changes and no others.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "regular_demand", key(medicine_key, every_days), keyed(medicine))]
pub struct RegularDemand {
    /// The medicine, in the spelling that was prescribed first.
    pub medicine: MedicineName,
    /// The interval between supplies, in days.
    pub every_days: EveryDays,
    /// The number of active prescriptions with this interval.
    pub active_regular: u64,
    /// The units of one supply to each of them.
    #[serde(default, skip_serializing_if = "PrescribedUnits::is_none")]
    #[field(columns(units, unnamed))]
    pub wanted: PrescribedUnits,
}

impl Demand {
    /// Returns the counts of a day without prescriptions.
    pub fn new(medicine: MedicineName, day: Date) -> Self {
        let nothing = PrescribedUnits::default();
        Self { medicine, day, prescribed: 0, regular: 0, dispensed: 0, wanted: nothing, waiting: nothing }
    }
}

impl RegularDemand {
    /// Returns the counts of an interval without recurring prescriptions.
    pub fn new(medicine: MedicineName, every_days: EveryDays) -> Self {
        Self { medicine, every_days, active_regular: 0, wanted: PrescribedUnits::default() }
    }

    /// Returns its demand for a plan.
    pub const fn refill(&self) -> Refill {
        Refill { every_days: self.every_days, wanted: self.wanted }
    }
}
