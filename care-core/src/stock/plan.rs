//! The advice for one medicine, and the data that it takes.

use care_derive::Record;

use super::{AtRisk, Confidence, Consumption, Hundredths, Reasoning};
use crate::model::{Amount, Basis, Date, Policy, Refill, Shelf, StockDay, StockSettings};

/// The data for the advice on one medicine.
#[derive(Debug, Clone, Copy)]
pub struct PlanInput<'a> {
    /// Today's day. The window ends the day before.
    pub today: Date,
    /// The settings of the medicine.
    pub settings: &'a StockSettings,
    /// Its open lots.
    pub shelf: &'a Shelf,
    /// The units reserved by unpaid invoices.
    pub reserved: Amount,
    /// Its daily counts, from the last one before [`PlanInput::window_from`] on.
    pub counts: &'a [StockDay],
    /// The units of its non-recurring prescriptions by day of prescribing, from [`PlanInput::window_from`] on.
    pub prescribed: &'a [(Date, u64)],
    /// Its active regular prescriptions, by their intervals.
    pub refills: &'a [Refill],
    /// The units of prescriptions of the last 30 days that were neither invoiced nor paid.
    pub waiting: u64,
}

/// The advice for one medicine, with everything that it was computed from.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Plan")]
pub struct Plan {
    /// The policy of the stock's settings. With low confidence, `service` is computed as `cover` is.
    #[field(words(cover, minMax, service))]
    pub policy: Policy,
    /// The figures that count as demand.
    pub basis: Basis,
    /// The days of the window.
    #[field(example = 180)]
    pub window_days: u64,
    /// The days on which demand could be observed.
    #[field(example = 168)]
    pub exposed_days: u64,
    /// The days without stock.
    #[field(example = 12)]
    pub stock_out_days: u64,
    /// The units of demand in the window, without regular prescriptions.
    #[field(example = 420)]
    pub dispensed: u64,
    /// The units that regular prescriptions need in 30 days.
    #[field(example = 64.29)]
    pub refill_units_monthly: Hundredths,
    /// The units that other prescriptions need in 30 days.
    #[field(example = 75.5)]
    pub units_monthly: Hundredths,
    /// The safety stock: the part of the reorder level that covers variation of the demand.
    #[field(like = u64, example = 0)]
    pub safety_stock: i64,
    /// The reorder level: an order is due when the position is not above it.
    #[field(like = u64, example = 140)]
    pub reorder_at: i64,
    /// The position to which an order fills up.
    #[field(like = u64, example = 418)]
    pub up_to: i64,
    /// The usable units that are not reserved.
    #[field(like = Amount, example = 80)]
    pub available: i64,
    /// The units on order.
    #[field(like = Amount, example = 10)]
    pub ordered: i64,
    /// The units of prescriptions without an invoice.
    #[field(like = u64, example = 6)]
    pub waiting: i64,
    /// The stock position: available and ordered units, less the waiting ones.
    #[field(example = 84)]
    pub position: i64,
    /// The units to order now.
    #[field(like = u64, example = 350)]
    pub order: i64,
    /// The packs to order now.
    #[field(like = u64, example = 7)]
    pub packs: i64,
    /// The whole days for which the available units last; absent without demand.
    #[field(example = 17)]
    pub cover_days: Option<u64>,
    /// The day on which they are used up; absent without demand, and after the year 9999.
    #[field(example = "01/04/2026")]
    pub stock_out_on: Option<Date>,
    /// The lots that will expire before they are used up.
    pub at_risk: Vec<AtRisk>,
    /// The reliability of the figures.
    #[field(words(low, high))]
    pub confidence: Confidence,
    /// The computation in sentences, at most 12 of at most 300 characters.
    #[field(example = "80 available + 10 ordered - 6 waiting = 84")]
    pub because: Vec<String>,
    /// The rule and the figures of each sentence in `because`.
    pub steps: Vec<Reasoning>,
}

impl PlanInput<'_> {
    /// The longest window, in days before today.
    pub const WINDOW_DAYS: i64 = 180;
    /// The days until today whose prescriptions without an invoice count as waiting.
    pub const WAITING_DAYS: i64 = 30;

    /// Returns the first possible day of today's window.
    pub fn window_from(today: Date) -> Date {
        today.plus_days(-Self::WINDOW_DAYS).unwrap_or(Date::MIN)
    }

    /// Returns the first day whose prescriptions without an invoice count as waiting today.
    pub fn waiting_from(today: Date) -> Date {
        today.plus_days(1 - Self::WAITING_DAYS).unwrap_or(Date::MIN)
    }

    /// Returns the consumption of the window, or `None` when the window is empty.
    pub(super) fn consumption(&self) -> Option<Consumption> {
        let first = self.counts.first()?.day.max(Self::window_from(self.today));
        let last = self.today.plus_days(-1).ok()?;
        (first <= last).then(|| Consumption::new(first, last, self.counts, self.prescribed))
    }
}

impl Plan {
    /// Returns whether there is demand for the medicine.
    pub fn has_demand(&self) -> bool {
        self.cover_days.is_some()
    }
}
