//! Reports on money in answers.

use serde::Serialize;

use crate::{
    model::Date,
    service::{DayTakings, TakingsSums},
};

/// A report on takings.
#[derive(Debug, Serialize)]
pub(crate) struct TakingsView {
    #[serde(flatten)]
    pub(crate) range: TakingsRange,
    #[serde(flatten)]
    pub(crate) sums: TakingsSums,
    pub(crate) items: Vec<DayTakings>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) more: bool,
}

/// The range of a report on takings.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum TakingsRange {
    Days { from: Date, to: Date },
    Receipts { above: i64, upto: i64 },
}
