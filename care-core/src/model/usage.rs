//! What was prescribed, counted: the figures behind the restock report.

use serde::{Deserialize, Serialize};

use super::{Date, MedicineName};

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
}

/// How many recurring prescriptions of one medicine are active now, whenever they were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The medicine, in the spelling that was prescribed first.
    pub medicine: MedicineName,
    /// The active recurring prescriptions.
    pub active_regular: u64,
}
