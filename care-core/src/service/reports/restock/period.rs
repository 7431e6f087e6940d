//! The period of a restock report.

use crate::{error::Error, model::Date};

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
