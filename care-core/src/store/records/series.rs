//! The series of numbers that the service gives.

use std::str::FromStr;

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::Invalid;

/// A series of numbers that the service gives. The series are ordered by their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Series {
    /// Consultation numbers.
    Consultation,
    /// Numbers of credit notes.
    CreditNote,
    /// Invoice numbers.
    Invoice,
    /// Movement numbers.
    Movement,
    /// Patient numbers given by the service, without those that clients chose.
    Patient,
    /// Prescription numbers.
    Prescription,
    /// Receipt numbers.
    Receipt,
}

/// The last number given in a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[record(table = "counter", key(series))]
pub struct Counter {
    /// The series.
    pub series: Series,
    /// The number, 1 to 2^63-1.
    pub last: i64,
}

impl Series {
    /// All series, in their order.
    pub const ALL: [Self; 7] = [
        Self::Consultation,
        Self::CreditNote,
        Self::Invoice,
        Self::Movement,
        Self::Patient,
        Self::Prescription,
        Self::Receipt,
    ];

    /// Returns the word for the series.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Consultation => "consultation",
            Self::CreditNote => "creditNote",
            Self::Invoice => "invoice",
            Self::Movement => "movement",
            Self::Patient => "patient",
            Self::Prescription => "prescription",
            Self::Receipt => "receipt",
        }
    }
}

impl FromStr for Series {
    type Err = Invalid;

    fn from_str(word: &str) -> Result<Self, Invalid> {
        Self::ALL.into_iter().find(|series| series.as_str() == word).ok_or(Invalid("must be a series of numbers"))
    }
}
