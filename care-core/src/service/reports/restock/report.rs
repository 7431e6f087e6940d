//! The restock report, its period and its items.

use care_derive::{Filter, Record};
use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    model::{Date, MedicineName, RestockLimit},
    stock::{Plan, Reasoning},
};

/// Advice on restocking from historic prescriptions, most urgent first.
#[derive(Debug, Clone, PartialEq, Record)]
#[record(document = "Restock", root = "Restock")]
pub struct RestockReport {
    /// The first day.
    #[field(example = "16/12/2025")]
    pub from: Date,
    /// The last day.
    #[field(example = "15/03/2026")]
    pub to: Date,
    /// The items: one for each medicine that is stocked, was prescribed in the period, or recurs; as many as were asked
    /// for.
    pub items: Vec<RestockItem>,
    /// Whether there are further, less urgent items; absent when there are none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// The advice on one medicine.
#[derive(Debug, Clone, PartialEq, Record)]
#[record(document = "RestockItem")]
pub struct RestockItem {
    /// The medicine, in the inventory's spelling if it is stocked.
    pub medicine: MedicineName,
    /// Whether it is available now.
    pub is_available: bool,
    /// The number of prescriptions made in the period.
    #[field(example = 6)]
    pub prescribed: u64,
    /// The number of those that recur.
    #[field(example = 1)]
    pub regular: u64,
    /// The number of those that were paid.
    #[field(example = 2)]
    pub dispensed: u64,
    /// The number of those that were not paid, when the medicine is not available now; otherwise 0.
    #[field(example = 4)]
    pub unmet: u64,
    /// `prescribed` per 30 days, with at most two decimals.
    #[field(example = 2.0)]
    pub average_monthly: f64,
    /// The number of prescriptions made in the equally long period just before.
    #[field(example = 3)]
    pub previous_prescribed: u64,
    /// The last day of prescribing within the two periods.
    #[field(example = "14/03/2026")]
    pub last_prescribed: Option<Date>,
    /// The urgency.
    #[field(words(now, soon, watch, none))]
    pub recommendation: Recommendation,
    /// The reasons, with their numbers.
    #[field(example = "stocked but not available now")]
    pub reasons: Vec<String>,
    /// The rule and the figures of each sentence in `reasons`.
    pub why: Vec<Reasoning>,
    /// The plan of a tracked medicine whose policy is not `none`.
    pub plan: Option<Plan>,
}

/// The urgency of restocking, most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recommendation {
    /// Not available, and prescribed in the period or recurring.
    Now,
    /// Available, prescribed at least five times and at least one and a half times as often as in the period before.
    Soon,
    /// Any other medicine that was prescribed or recurs.
    Watch,
    /// Stocked, but neither prescribed nor recurring.
    None,
}

impl Recommendation {
    /// Returns the word for the urgency.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Soon => "soon",
            Self::Watch => "watch",
            Self::None => "none",
        }
    }
}

impl RestockReport {
    /// The highest number of items in a report.
    pub const MAX_ITEMS: usize = RestockLimit::MAX as usize;
    /// The default limit of items in a report.
    pub const DEFAULT_ITEMS: usize = 1_000;
}

/// The request for a restock report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Filter)]
pub struct RestockQuery {
    /// The first day; without it the period has 90 days.
    #[filter(example = "16/12/2025")]
    pub from: Option<Date>,
    /// The last day, today unless given.
    #[filter(example = "15/03/2026")]
    pub to: Option<Date>,
    /// The highest number of medicines in the report, which has the most urgent ones.
    #[filter(default = RestockReport::DEFAULT_ITEMS)]
    pub limit: Option<RestockLimit>,
}

/// The period of a restock report, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestockPeriod {
    pub(crate) from: Date,
    pub(crate) to: Date,
}

impl RestockPeriod {
    /// The default length of a period, in days.
    pub const DEFAULT_DAYS: i64 = 90;

    /// Returns the period with these ends. Without a last day it ends today, and without a first day it has 90 days, or
    /// all days since [`Date::MIN`].
    ///
    /// # Errors
    /// [`Error::Invalid`] when the first day is after the last.
    pub fn new(from: Option<Date>, to: Option<Date>, today: Date) -> Result<Self, Error> {
        let to = to.unwrap_or(today);
        let from = from.unwrap_or_else(|| to.plus_days(1 - Self::DEFAULT_DAYS).unwrap_or(Date::MIN));
        if from > to {
            return Err(Error::field("from", "must not be after to"));
        }
        Ok(Self { from, to })
    }

    pub(super) fn days(self) -> i64 {
        self.to.unix_days() - self.from.unix_days() + 1
    }

    /// Returns the first day of the equally long period just before, which begins on [`Date::MIN`] at the earliest.
    pub(super) fn previous_from(self) -> Date {
        self.from.plus_days(-self.days()).unwrap_or(Date::MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_ninety_days_unless_said_otherwise() {
        let today: Date = "31/03/2026".parse().unwrap();
        let period = RestockPeriod::new(None, None, today).unwrap();
        assert_eq!((period.days(), period.from.to_string().as_str()), (90, "01/01/2026"));
        assert_eq!(period.previous_from().to_string(), "03/10/2025");
        assert!(RestockPeriod::new(Some(today), Some("30/03/2026".parse().unwrap()), today).is_err());
        assert_eq!(RestockPeriod::new(Some(today), None, today).unwrap().days(), 1);
    }

    #[test]
    fn a_period_begins_in_1900_at_the_earliest() {
        let (first, day) = (Date::MIN, |text: &str| text.parse::<Date>().unwrap());
        let cut = RestockPeriod::new(None, Some(day("31/01/1900")), first).unwrap();
        assert_eq!((cut.from, cut.days(), cut.previous_from()), (first, 31, first));
        let short = RestockPeriod::new(Some(day("21/01/1900")), Some(day("31/01/1900")), first).unwrap();
        assert_eq!(short.previous_from(), day("10/01/1900"));
        let long = RestockPeriod::new(Some(day("11/01/1900")), Some(day("31/01/1900")), first).unwrap();
        assert_eq!(long.previous_from(), first);
    }
}
