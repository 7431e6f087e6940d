//! Lots that will expire before they are used up.

use care_derive::Record;

use super::{Window, consumption::Recurring, fraction, is_usable, level::last_usable_day};
use crate::model::{Date, KeepDays, LotText, Shelf};

/// A lot that will have units left after its last usable day.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "AtRisk")]
pub struct AtRisk {
    /// The lot's text.
    #[field(example = "A1")]
    pub lot: Option<LotText>,
    /// The last day on which it is good.
    #[field(example = "31/12/2027")]
    pub expires: Date,
    /// The units that will be left.
    #[field(like = crate::model::Amount, example = 20)]
    pub units: i64,
}

/// The demand of a day, as a sum of fractions; see [`fraction::sum`].
///
/// Most questions are answered from one number that is slightly too small, and that number of parts later slightly too
/// large. Only where the two disagree, the fractions are summed.
#[derive(Debug, Clone, Default)]
pub(super) struct Rate {
    parts: Vec<(u64, u64)>,
    /// The sum in units of 2^-64, each part rounded down; `None` when it does not fit.
    low: Option<u128>,
}

impl Rate {
    /// Returns the sum of these fractions.
    pub(super) fn new(parts: Vec<(u64, u64)>) -> Self {
        let low = parts
            .iter()
            .try_fold(0_u128, |sum, (units, below)| sum.checked_add((u128::from(*units) << 64) / u128::from(*below)));
        Self { parts, low }
    }

    /// Returns the demand of a day, of regular prescriptions and others.
    pub(super) fn of(window: &Window, recurring: &[Recurring]) -> Self {
        let mut parts: Vec<_> = recurring.iter().map(|refill| (refill.units, refill.every_days)).collect();
        parts.extend((window.exposed > 0).then_some((window.units, window.exposed)));
        Self::new(parts)
    }

    /// Returns whether there is no demand.
    pub(super) fn is_zero(&self) -> bool {
        self.parts.iter().all(|(units, _)| *units == 0)
    }

    /// Returns the whole units of the demand of this number of days.
    pub(super) fn units_in(&self, days: u64) -> u128 {
        let about = |rate: u128| Some(rate.checked_mul(days.into())? >> 64);
        match self.bounds().and_then(|(low, high)| Some((about(low)?, about(high)?))) {
            Some((low, high)) if low == high => low,
            _ => fraction::sum(self.parts(days)).0,
        }
    }

    /// Returns the number of whole days for which these units last; `None` without demand.
    pub(super) fn days_of(&self, units: u64) -> Option<u64> {
        if self.is_zero() {
            return None;
        }
        let lasts = |days| fraction::ceil_sum(self.parts(days)) <= units.into();
        // A unit lasts at most the number of days in the denominator of any part.
        let (mut lasting, mut too_long) = (0, units.saturating_add(1).saturating_mul(fraction::MAX_DENOMINATOR));
        if let Some((low, high)) = self.bounds() {
            let whole = |days: u128| u64::try_from(days).unwrap_or(u64::MAX);
            let units = u128::from(units) << 64;
            lasting = whole(units / high);
            too_long = too_long.min(whole(units / low).saturating_add(1));
        }
        while too_long - lasting > 1 {
            let middle = lasting + (too_long - lasting) / 2;
            if lasts(middle) { lasting = middle } else { too_long = middle }
        }
        Some(lasting)
    }

    /// Returns two rates between which the demand of a day lies, in units of 2^-64, the lower one above 0.
    fn bounds(&self) -> Option<(u128, u128)> {
        let low = self.low.filter(|low| *low > 0)?;
        Some((low, low.checked_add(self.parts.len() as u128)?))
    }

    fn parts(&self, days: u64) -> impl Iterator<Item = (u128, u64)> {
        self.parts.iter().map(move |(units, below)| (u128::from(*units) * u128::from(days), *below))
    }
}

/// Returns the usable lots that will expire before they are used up, when units are handed out first expired first out
/// at this rate.
pub(super) fn at_risk(shelf: &Shelf, keep: KeepDays, today: Date, rate: &Rate) -> Vec<AtRisk> {
    let mut found = Vec::new();
    // The lots before this one are used up at `since`, counted from the beginning of today, or took `out` units after
    // it.
    let (mut since, mut out) = (0_u64, 0_u128);
    for lot in shelf.lots().iter().filter(|lot| is_usable(lot, keep, today)) {
        let Some(expires) = lot.id.expires else {
            break;
        };
        let there = u128::from(lot.on_hand.value().unsigned_abs());
        // The lot is usable, so its last day is today at the earliest.
        let end = (last_usable_day(expires, keep) - today.unix_days() + 1).unsigned_abs();
        let handed = rate.units_in(end - since).saturating_sub(out);
        if handed >= there {
            out += there;
            continue;
        }
        (since, out) = (end, 0);
        let units = i64::try_from(there - handed).unwrap_or(i64::MAX);
        found.push(AtRisk { lot: lot.id.lot.clone(), expires, units });
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{LotId, Units};

    #[test]
    fn stock_lasts_whole_days() {
        assert_eq!(Rate::default().days_of(100), None);
        assert_eq!(Rate::new(vec![(0, 1)]).days_of(100), None);
        assert_eq!(Rate::new(vec![(5, 2)]).days_of(0), Some(0));
        assert_eq!(Rate::new(vec![(5, 2)]).days_of(9), Some(3));
        assert_eq!(Rate::new(vec![(1, 3), (1, 6)]).days_of(10), Some(20));
        assert_eq!(Rate::new(vec![(1, 365)]).days_of(1_000_000_000), Some(365_000_000_000));
    }

    #[test]
    fn bounds_that_disagree_are_settled_exactly() {
        // Three thirds are one, and just less where each is rounded down.
        let thirds = Rate::new(vec![(1, 3), (4, 6)]);
        assert_eq!((thirds.units_in(7), thirds.days_of(7), thirds.days_of(6)), (7, Some(7), Some(6)));
        // A demand that does not fit into the bounds.
        let vast = Rate::new(vec![(u64::MAX, 1), (1, 365)]);
        assert_eq!((vast.units_in(365), vast.days_of(u64::MAX)), (u128::from(u64::MAX) * 365 + 1, Some(0)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn what_the_bounds_say_is_what_the_fractions_say(
            parts in proptest::collection::vec((0_u64..5000, 1_u64..=365), 0..40), days in 0_u64..100_000,
        ) {
            let rate = Rate::new(parts);
            let units = fraction::sum(rate.parts(days)).0;
            prop_assert_eq!(rate.units_in(days), units);
            if let Some(lasting) = rate.days_of(days) {
                prop_assert!(fraction::ceil_sum(rate.parts(lasting)) <= days.into());
                prop_assert!(fraction::ceil_sum(rate.parts(lasting + 1)) > days.into());
            }
        }
    }

    #[test]
    fn a_lot_that_outlasts_its_demand_is_at_risk() {
        let mut shelf = Shelf::default();
        for (expires, units) in [("10/03/2026", 10), ("20/03/2026", 40), ("21/03/2026", 1), ("01/03/2026", 5)] {
            let id = LotId { lot: None, expires: expires.parse().ok() };
            shelf.add(id, Units::try_from(units).unwrap()).unwrap();
        }
        shelf.add(LotId::default(), Units::try_from(7).unwrap()).unwrap();
        let today = "06/03/2026".parse().unwrap();
        let left = |rate: &[(u64, u64)], keep| {
            let found = at_risk(&shelf, KeepDays::clamped(keep), today, &Rate::new(rate.to_vec()));
            found.iter().map(|lot| (lot.expires.to_string(), lot.units)).collect::<Vec<_>>()
        };
        let row = |expires: &str, units| (expires.to_owned(), units);
        // Ten units go in five days, 20 of 40 in the ten days after, and the last lot has a day of its own.
        assert_eq!(left(&[(2, 1)], 0), [row("20/03/2026", 20)]);
        // At three halves a day, 7.5 of ten units go in five days, then 15 in ten days, and one of one.
        assert_eq!(left(&[(3, 2)], 0), [row("10/03/2026", 3), row("20/03/2026", 25)]);
        // At three a day, the first lot is used up after 3⅓ days, and the second lasts until the end of the fifteenth.
        assert_eq!(left(&[(3, 1)], 0), [row("20/03/2026", 5)]);
        assert_eq!(left(&[(4, 1)], 0), []);
        assert_eq!(left(&[], 0), [row("10/03/2026", 10), row("20/03/2026", 40), row("21/03/2026", 1)]);
        assert_eq!(left(&[(2, 1)], 5), [row("20/03/2026", 20)]);
    }
}
