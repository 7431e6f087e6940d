//! Instants and the facility's offset from UTC.

use std::{fmt, time::SystemTime};

use serde::{Deserialize, Serialize};

use crate::model::{Date, Invalid};

/// An instant in UTC to the millisecond, written as RFC 3339: `2026-01-31T08:15:00.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

const MILLIS_PER_DAY: i64 = 86_400_000;
/// 9999-12-31T23:59:59.999Z, in milliseconds since 1970; later instants have no four-digit year.
const LATEST: i64 = 253_402_300_799_999;
const EPOCH: jiff::civil::DateTime = jiff::civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

impl Timestamp {
    /// Returns the instant this many milliseconds after 1970-01-01T00:00:00Z.
    ///
    /// # Errors
    /// The broken rule, when it is not within the years 1900 to 9999.
    pub fn from_unix_millis(millis: i64) -> Result<Self, Invalid> {
        if !(-2_208_988_800_000..=LATEST).contains(&millis) {
            return Err(Invalid("must be within the years 1900 to 9999"));
        }
        Ok(Self(millis))
    }

    /// Returns the milliseconds since 1970-01-01T00:00:00Z.
    pub const fn unix_millis(self) -> i64 {
        self.0
    }

    /// Returns the calendar day at this instant, seen from this offset.
    ///
    /// # Errors
    /// The broken rule, when the offset moves the day out of the years 1900 to 9999.
    pub fn date(self, offset: UtcOffset) -> Result<Date, Invalid> {
        Date::from_unix_days((self.0 + i64::from(offset.0) * 60_000).div_euclid(MILLIS_PER_DAY))
    }
}

impl From<SystemTime> for Timestamp {
    /// Returns the instant of a clock. One beyond the years 1900 to 9999 becomes the nearest instant within them.
    fn from(time: SystemTime) -> Self {
        let millis = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).unwrap_or(LATEST),
            Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, i64::wrapping_neg),
        };
        Self(millis.clamp(-2_208_988_800_000, LATEST))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // jiff's instants end a day before the year 9999 does, but its calendar does not.
        let span = jiff::SignedDuration::from_millis(self.0);
        let instant = EPOCH.checked_add(span).map_err(|_| fmt::Error)?;
        write!(f, "{instant:.3}Z")
    }
}

impl std::str::FromStr for Timestamp {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        const REFUSED: Invalid = Invalid("must be an instant as RFC 3339 writes it");
        if let Ok(instant) = text.parse::<jiff::Timestamp>() {
            return Self::from_unix_millis(instant.as_millisecond());
        }
        // jiff's instants end before the last day does, but its calendar does not.
        let pieces = jiff::fmt::temporal::Pieces::parse(text).map_err(|_| REFUSED)?;
        let time = pieces.time().ok_or(REFUSED)?;
        let offset = pieces.to_numeric_offset().ok_or(REFUSED)?;
        let millis = EPOCH.duration_until(pieces.date().to_datetime(time)).as_millis();
        let millis = i64::try_from(millis).map_err(|_| REFUSED)?;
        Self::from_unix_millis(millis - i64::from(offset.seconds()) * 1_000)
    }
}

impl TryFrom<String> for Timestamp {
    type Error = Invalid;

    fn try_from(text: String) -> Result<Self, Invalid> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.to_string()
    }
}

/// A fixed offset from UTC in minutes, at most 18 hours either way. It decides on which day "today" is at a facility.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UtcOffset(i16);

impl UtcOffset {
    /// No offset.
    pub const UTC: Self = Self(0);

    /// Returns an offset of this many minutes, positive to the east.
    ///
    /// # Errors
    /// The broken rule, when it is more than 18 hours either way.
    pub fn from_minutes(minutes: i16) -> Result<Self, Invalid> {
        if !(-1080..=1080).contains(&minutes) {
            return Err(Invalid("must be -1080 to 1080 minutes"));
        }
        Ok(Self(minutes))
    }

    /// Returns the offset in minutes, positive to the east.
    pub const fn minutes(self) -> i16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_read_back_as_they_are_written() {
        let instant = Timestamp::from_unix_millis(1_769_847_300_000);
        assert_eq!(instant.map(|i| i.to_string()).as_deref(), Ok("2026-01-31T08:15:00.000Z"));
        assert_eq!("2026-01-31T08:15:00.000Z".parse(), instant);
    }

    #[test]
    fn the_first_and_the_last_instant_read_back() {
        for (millis, written) in [
            (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_207_201_000, "9999-12-30T22:00:01.000Z"),
            (LATEST, "9999-12-31T23:59:59.999Z"),
        ] {
            let instant = Timestamp::from_unix_millis(millis);
            assert_eq!(instant.map(|i| i.to_string()).as_deref(), Ok(written));
            assert_eq!(written.parse(), instant);
        }
        for (text, millis) in [
            ("9999-12-31T00:00:00Z", LATEST + 1 - MILLIS_PER_DAY),
            ("9999-12-31 23:59:59.9999Z", LATEST),
            ("9999-12-31T23:00:00+01:30", LATEST + 1 - 9_000_000),
            ("9999-12-30T22:59:59.999-01:00", LATEST - MILLIS_PER_DAY),
        ] {
            assert_eq!(text.parse(), Timestamp::from_unix_millis(millis), "{text}");
        }
        for refused in [
            "",
            "9999-12-31T23:00:00",
            "9999-12-31T23:00:00-01:00",
            "Z",
            "9999-12-31",
            "9999-12-31Z",
            "2026-01-31Z",
            "9999-12-31T24:00:00.000Z",
            "10000-01-01T00:00:00.000Z",
        ] {
            assert!(refused.parse::<Timestamp>().is_err(), "{refused}");
        }
    }

    #[test]
    fn the_offset_decides_the_day() {
        let late = "2026-01-31T23:30:00Z".parse::<Timestamp>();
        let day = |minutes| {
            let offset = UtcOffset::from_minutes(minutes)?;
            late.and_then(|instant| instant.date(offset)).map(|date| date.to_string())
        };
        assert_eq!(day(0).as_deref(), Ok("31/01/2026"));
        assert_eq!(day(60).as_deref(), Ok("01/02/2026"));
        assert_eq!(day(-1080).as_deref(), Ok("31/01/2026"));
        assert!(UtcOffset::from_minutes(1081).is_err());
    }
}
