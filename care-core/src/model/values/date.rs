//! Calendar days.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::conversions::as_scalar;
use crate::model::Invalid;

/// A calendar day from 01/01/1900 to 31/12/9999, written `DD/MM/YYYY` in JSON and XML.
///
/// ```
/// use care_core::model::Date;
///
/// let day: Date = "29/02/2024".parse()?;
/// assert_eq!(day.plus_days(1)?.to_string(), "01/03/2024");
/// assert_eq!((day.year(), day.month(), day.day()), (2024, 2, 29));
/// assert!("29/02/2023".parse::<Date>().is_err());
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Date(jiff::civil::Date);

const REFUSED: Invalid = Invalid("must be a real calendar day as DD/MM/YYYY, year 1900 to 9999");

impl Date {
    /// The first day, 01/01/1900.
    pub const MIN: Self = Self(jiff::civil::Date::constant(1900, 1, 1));
    /// The last day, 31/12/9999.
    pub const MAX: Self = Self(jiff::civil::Date::constant(9999, 12, 31));

    /// Returns a day from its parts.
    ///
    /// # Errors
    /// The broken rule, when there is no such day or its year is not 1900 to 9999.
    pub fn new(year: i16, month: i8, day: i8) -> Result<Self, Invalid> {
        jiff::civil::Date::new(year, month, day).map_err(|_| REFUSED).and_then(Self::ranged)
    }

    /// Returns the day this many days after 1970-01-01 (before it, when negative).
    ///
    /// # Errors
    /// The broken rule, when the year is not 1900 to 9999.
    pub fn from_unix_days(days: i64) -> Result<Self, Invalid> {
        let span = jiff::Span::new().try_days(days).map_err(|_| REFUSED)?;
        EPOCH.checked_add(span).map_err(|_| REFUSED).and_then(Self::ranged)
    }

    /// Returns the year, 1900 to 9999.
    pub fn year(self) -> i16 {
        self.0.year()
    }

    /// Returns the month, 1 to 12.
    pub fn month(self) -> i8 {
        self.0.month()
    }

    /// Returns the day of the month, 1 to 31.
    pub fn day(self) -> i8 {
        self.0.day()
    }

    /// Returns the number of days from 1970-01-01 to this day; negative before it.
    pub fn unix_days(self) -> i64 {
        (self.0 - EPOCH).get_days().into()
    }

    /// Returns the day this many days later (earlier, when negative).
    ///
    /// # Errors
    /// The broken rule, when the year is not 1900 to 9999.
    pub fn plus_days(self, days: i64) -> Result<Self, Invalid> {
        self.unix_days().checked_add(days).ok_or(REFUSED).and_then(Self::from_unix_days)
    }

    /// Returns the last day of a month that is written as on a package: `MM/YYYY`, or `MM/YY` of this century.
    ///
    /// ```
    /// use care_core::model::Date;
    ///
    /// assert_eq!(Date::last_of_month("02/2028").map(|day| day.to_string()).as_deref(), Some("29/02/2028"));
    /// assert_eq!(Date::last_of_month("29/02/2028"), None);
    /// ```
    pub fn last_of_month(text: &str) -> Option<Self> {
        let (month, year) = text.trim().split_once('/')?;
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        let (month, written): (i16, i16) = (number(month)?, number(year)?);
        let year = match year.len() {
            2 => 2000 + written,
            4 => written,
            _ => return None,
        };
        let first = jiff::civil::Date::new(year, month.try_into().ok()?, 1).ok()?;
        Self::ranged(first.last_of_month()).ok()
    }

    fn ranged(day: jiff::civil::Date) -> Result<Self, Invalid> {
        if day.year() < 1900 {
            return Err(REFUSED);
        }
        Ok(Self(day))
    }
}

const EPOCH: jiff::civil::Date = jiff::civil::Date::constant(1970, 1, 1);

impl std::str::FromStr for Date {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let bytes: &[u8; 10] = text.as_bytes().try_into().map_err(|_| REFUSED)?;
        let [d1, d2, b'/', m1, m2, b'/', y1, y2, y3, y4] = *bytes else {
            return Err(REFUSED);
        };
        let number = |digits: &[u8]| {
            digits.iter().try_fold(0_i16, |number, digit| {
                digit.is_ascii_digit().then(|| number * 10 + i16::from(digit - b'0')).ok_or(REFUSED)
            })
        };
        let (year, month, day) = (number(&[y1, y2, y3, y4])?, number(&[m1, m2])?, number(&[d1, d2])?);
        // Two digits always fit.
        Self::new(year, month as i8, day as i8)
    }
}

impl TryFrom<String> for Date {
    type Error = Invalid;

    fn try_from(text: String) -> Result<Self, Invalid> {
        text.parse()
    }
}

as_scalar!(Date, String);

impl From<Date> for String {
    fn from(date: Date) -> Self {
        date.to_string()
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the formatter, which takes five times as long: a payment writes two dozen days.
        let digit = |number: i16| b'0' + (number % 10) as u8;
        let (day, month, year) = (i16::from(self.day()), i16::from(self.month()), self.year());
        let (day, month) = ([digit(day / 10), digit(day)], [digit(month / 10), digit(month)]);
        let year = [digit(year / 1000), digit(year / 100), digit(year / 10), digit(year)];
        let text = [day[0], day[1], b'/', month[0], month[1], b'/', year[0], year[1], year[2], year[3]];
        f.write_str(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ten_exact_characters_are_a_date() {
        for refused in [
            "",
            "1/2/2024",
            "01-02-2024",
            "2024/01/02",
            "01/02/24",
            " 1/02/2024",
            "01/02/2024 ",
            "01/13/2024",
            "00/01/2024",
            "31/04/2024",
            "29/02/1900",
            "31/12/1899",
            "+1/02/2024",
            "0１/2/2024",
            "01/02/20240",
        ] {
            assert!(refused.parse::<Date>().is_err(), "{refused:?}");
        }
        for accepted in ["01/01/1900", "31/12/9999", "29/02/2000", "28/02/2023"] {
            assert_eq!(accepted.parse::<Date>().map(|d| d.to_string()).as_deref(), Ok(accepted));
        }
    }

    #[test]
    fn the_month_of_a_package_is_its_last_day() {
        let said = |text| Date::last_of_month(text).map(|day| day.to_string());
        for (text, day) in [("06/2027", "30/06/2027"), ("6/27", "30/06/2027"), (" 02/2028 ", "29/02/2028")] {
            assert_eq!(said(text).as_deref(), Some(day), "{text:?}");
        }
        for other in
            ["", "/", "13/2027", "0/2027", "06/1899", "06/027", "+6/2027", "6/-7", "2027/06", "300/2027", "a/27"]
        {
            assert_eq!(said(other), None, "{other:?}");
        }
    }

    #[test]
    fn days_count_from_the_unix_epoch() {
        for (text, days) in [("01/01/1970", 0), ("31/12/1969", -1), ("01/03/2024", 19_783)] {
            let date: Result<Date, _> = text.parse();
            assert_eq!(date.map(Date::unix_days), Ok(days));
            assert_eq!(Date::from_unix_days(days), date);
        }
        assert!(Date::from_unix_days(i64::MAX).is_err() && Date::from_unix_days(-40_000).is_err());
    }
}
