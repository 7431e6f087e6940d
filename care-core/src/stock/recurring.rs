//! The demand of regular prescriptions.

use super::{Fraction, Hundredths, fraction};

/// The demand of regular prescriptions with one interval: units in each interval of days.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recurring {
    pub(super) units: u64,
    pub(super) every_days: u64,
}

impl Recurring {
    /// Returns the demand of this number of days, rounded up.
    pub(super) fn units_in(&self, days: u64) -> u128 {
        Fraction::new(u128::from(self.units) * u128::from(days), self.every_days.into()).ceil()
    }
}

/// Returns the demand of 30 days, 30·ΣU/e, halves upwards.
pub(super) fn monthly<'a>(recurring: impl IntoIterator<Item = &'a Recurring>) -> Hundredths {
    let parts = recurring.into_iter().map(|part| (u128::from(part.units) * 3000, part.every_days));
    let (hundredths, _) = fraction::sum(parts.chain([(1, 2)]));
    Hundredths::new(u64::try_from(hundredths).unwrap_or(u64::MAX))
}
