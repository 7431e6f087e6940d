//! Counts of prescriptions, from which the restock report is computed.

use serde::{Deserialize, Serialize};

use super::{Date, MedicineName, PrescribedUnits, Refill};

/// The number of prescriptions of one medicine on one day. A withdrawn one counts only if it was paid.
///
/// Every decision that changes a prescription updates it, so that a report over any period reads one row for each
/// medicine and day instead of the prescriptions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    pub wanted: PrescribedUnits,
    /// The units of those that do not recur, are active and have no unpaid invoice.
    #[serde(default, skip_serializing_if = "PrescribedUnits::is_none")]
    pub waiting: PrescribedUnits,
}

/// The number of active recurring prescriptions of one medicine, independent of the day on which they were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RegularDemand {
    /// The medicine, in the spelling that was prescribed first.
    pub medicine: MedicineName,
    /// The number of active recurring prescriptions.
    pub active_regular: u64,
    /// Their demand by interval, the shortest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refills: Vec<Refill>,
}

impl Demand {
    /// Returns the counts of a day without prescriptions.
    pub fn new(medicine: MedicineName, day: Date) -> Self {
        let nothing = PrescribedUnits::default();
        Self { medicine, day, prescribed: 0, regular: 0, dispensed: 0, wanted: nothing, waiting: nothing }
    }
}

impl RegularDemand {
    /// Returns the counts of a medicine without recurring prescriptions.
    pub const fn new(medicine: MedicineName) -> Self {
        Self { medicine, active_regular: 0, refills: Vec::new() }
    }

    /// Replaces the demand of one prescription.
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
