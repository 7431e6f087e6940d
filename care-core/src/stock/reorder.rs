//! Reorder levels and orders.

use serde::{Deserialize, Serialize};

use super::{Fraction, Window};
use crate::model::{Amount, Policy, StockSettings};

/// The levels between which a policy keeps a medicine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reorder {
    /// The reorder level: an order is due when the position is not above it.
    pub reorder_at: i64,
    /// The position to which an order fills up.
    pub up_to: i64,
    /// The safety stock: the part of the reorder level that covers variation of the demand.
    pub safety_stock: i64,
    /// The reliability of the figures.
    pub confidence: Confidence,
}

/// The reliability of a plan, by the number of days with observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Demand could be observed on fewer than 60 days, or occurred on fewer than 8.
    Low,
    /// Demand could be observed on at least 60 days, and occurred on at least 8.
    High,
}

/// The variance of a day's demand as a fraction: the square of the standard deviation.
pub type Variance = Fraction;

/// Returns the safety stock of `z_thousandths` thousandths of a standard deviation of the demand in this number of
/// days, rounded up: √(z²·days·v).
pub fn safety_stock(z_thousandths: u32, days: u64, variance: Variance) -> u128 {
    spread(z_thousandths, days, variance).ceil_root()
}

/// Returns the square of the safety stock before it is rounded.
pub(super) fn spread(z_thousandths: u32, days: u64, variance: Variance) -> Fraction {
    let z = u128::from(z_thousandths);
    // z² and the days together are below 2^34, which leaves room for a variance of 10^28 units². A thousand payments of
    // 10^5 units on every day stay far below that.
    let numerator = (z * z * u128::from(days)).saturating_mul(variance.numerator);
    Fraction::new(numerator, variance.denominator.max(1).saturating_mul(1_000_000))
}

impl Window {
    /// The lowest number of exposed days for a reliable variance.
    pub const ENOUGH_DAYS: u64 = 60;
    /// The lowest number of days with demand for a reliable variance.
    pub const ENOUGH_BUSY_DAYS: u64 = 8;

    /// Returns the demand of this number of days as a fraction; 0 when demand could be observed on no day.
    pub fn units_in(&self, days: u64) -> Fraction {
        match self.exposed {
            0 => Fraction::new(0, 1),
            exposed => Fraction::new(u128::from(self.units) * u128::from(days), exposed.into()),
        }
    }

    /// Returns the variance of a day's demand among the exposed days: (E·Σx² − A²)/(E(E−1)).
    pub fn variance(&self) -> Variance {
        let exposed = u128::from(self.exposed);
        let above = exposed.saturating_mul(self.squares).saturating_sub(u128::from(self.units).pow(2));
        Fraction::new(above, exposed * exposed.saturating_sub(1))
    }

    /// Returns the reliability of the figures.
    pub fn confidence(&self) -> Confidence {
        if self.exposed >= Self::ENOUGH_DAYS && self.busy_days >= Self::ENOUGH_BUSY_DAYS {
            Confidence::High
        } else {
            Confidence::Low
        }
    }

    /// Returns the levels of a policy. `refills` returns the units that regular prescriptions need in a number of days.
    pub fn reorder(&self, policy: Policy, settings: &StockSettings, refills: &dyn Fn(u64) -> u128) -> Reorder {
        let confidence = self.confidence();
        let demand = |days: u64| whole(self.units_in(days).ceil().saturating_add(refills(days)));
        let without_safety = |reorder_at, up_to| Reorder { reorder_at, up_to, safety_stock: 0, confidence };
        match policy {
            Policy::MinMax | Policy::None => {
                let level = |level: Option<Amount>| level.map_or(0, |level| level.value());
                without_safety(level(settings.min), level(settings.max))
            }
            Policy::Service if confidence == Confidence::High => {
                let z = settings.service_level.z_thousandths();
                let (lead, review) = (days(settings.lead_days.value()), days(settings.review_days.value()));
                let safety = |days| whole(safety_stock(z, days, self.variance()));
                Reorder {
                    reorder_at: demand(lead).saturating_add(safety(lead)),
                    up_to: demand(lead + review).saturating_add(safety(lead + review)),
                    safety_stock: safety(lead),
                    confidence,
                }
            }
            Policy::Cover | Policy::Service => {
                without_safety(demand(days(settings.min_days.value())), demand(days(settings.max_days.value())))
            }
        }
    }
}

/// Returns the order at a position: whole packs up to the upper level when the position is not above the lower one, and
/// 0 otherwise.
pub(super) fn order(reorder: &Reorder, position: i64, pack_units: i64) -> i64 {
    if position > reorder.reorder_at {
        return 0;
    }
    let missing = reorder.up_to.saturating_sub(position).max(0);
    let packs = missing / pack_units + i64::from(missing % pack_units > 0);
    packs.saturating_mul(pack_units)
}

pub(super) fn whole(units: u128) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX)
}

/// Returns a setting in days, which is never negative.
pub(super) fn days(days: i64) -> u64 {
    days.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MaxDays, MinDays, UnitName};

    #[test]
    fn orders_are_whole_packs_up_to_the_upper_level() {
        let reorder = Reorder { reorder_at: 50, up_to: 130, safety_stock: 0, confidence: Confidence::High };
        assert_eq!(order(&reorder, 51, 20), 0);
        assert_eq!(order(&reorder, 50, 20), 80);
        assert_eq!(order(&reorder, 49, 20), 100);
        assert_eq!(order(&reorder, -10, 1), 140);
        let upside_down = Reorder { reorder_at: 50, up_to: 30, ..reorder };
        assert_eq!(order(&upside_down, 40, 1), 0);
    }

    #[test]
    fn too_few_days_are_answered_as_cover() {
        let settings = StockSettings {
            min_days: MinDays::clamped(30),
            max_days: MaxDays::clamped(60),
            ..StockSettings::new(UnitName::new("tablet").unwrap())
        };
        let window = Window { days: 59, exposed: 59, units: 118, squares: 4000, busy_days: 20, ..Window::default() };
        let few = window.reorder(Policy::Service, &settings, &|_| 0);
        assert_eq!((few.reorder_at, few.up_to, few.safety_stock), (60, 120, 0));
        assert_eq!(few.confidence, Confidence::Low);
        let enough = Window { days: 60, exposed: 60, units: 120, ..window };
        let found = enough.reorder(Policy::Service, &settings, &|days| days.div_ceil(14).into());
        // 14 days of 2 units and one refill; v = (60·4000 − 120²)/(60·59), and 1.645·√(14·v) = 49.14.
        assert_eq!((found.reorder_at, found.safety_stock, found.confidence), (28 + 1 + 50, 50, Confidence::High));
    }
}
