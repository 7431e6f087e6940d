//! Instants and the facility's offset from UTC.

use std::{fmt, time::SystemTime};

use serde::{Deserialize, Serialize};

use super::{Date, Invalid};

/// An instant in UTC to the millisecond, written as RFC 3339: `2026-01-31T08:15:00.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

const MILLIS_PER_DAY: i64 = 86_400_000;
/// 9999-12-31T23:59:59.999Z; later instants have no four-digit year.
const LATEST: i64 = 253_402_300_799_999;

impl Timestamp {
    /// The instant so many milliseconds after 1970-01-01T00:00:00Z.
    ///
    /// # Errors
    /// The broken rule, when it is not within the years 1900 to 9999.
    pub fn from_unix_millis(millis: i64) -> Result<Self, Invalid> {
        if !(-2_208_988_800_000..=LATEST).contains(&millis) {
            return Err(Invalid("must be within the years 1900 to 9999"));
        }
        Ok(Self(millis))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub const fn unix_millis(self) -> i64 {
        self.0
    }

    /// The calendar day at this instant, seen from this offset.
    ///
    /// # Errors
    /// The broken rule, when the offset carries the day out of the years 1900 to 9999.
    pub fn date(self, offset: UtcOffset) -> Result<Date, Invalid> {
        Date::from_unix_days((self.0 + i64::from(offset.0) * 60_000).div_euclid(MILLIS_PER_DAY))
    }
}

impl From<SystemTime> for Timestamp {
    /// A clock beyond the years 1900 to 9999 is taken as the nearest instant within them.
    fn from(time: SystemTime) -> Self {
        let millis = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).unwrap_or(LATEST),
            Err(before) => {
                i64::try_from(before.duration().as_millis()).map_or(i64::MIN, i64::wrapping_neg)
            }
        };
        Self(millis.clamp(-2_208_988_800_000, LATEST))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instant = jiff::Timestamp::from_millisecond(self.0).map_err(|_| fmt::Error)?;
        write!(f, "{instant:.3}")
    }
}

impl std::str::FromStr for Timestamp {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let instant: jiff::Timestamp = text
            .parse()
            .map_err(|_| Invalid("must be an instant as RFC 3339 writes it"))?;
        Self::from_unix_millis(instant.as_millisecond())
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

/// A fixed offset from UTC in minutes, at most 18 hours either way: what "today" means to a facility.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UtcOffset(i16);

impl UtcOffset {
    /// No offset.
    pub const UTC: Self = Self(0);

    /// An offset of so many minutes, positive to the east.
    ///
    /// # Errors
    /// The broken rule, when it is more than 18 hours either way.
    pub fn from_minutes(minutes: i16) -> Result<Self, Invalid> {
        if !(-1080..=1080).contains(&minutes) {
            return Err(Invalid("must be -1080 to 1080 minutes"));
        }
        Ok(Self(minutes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_read_back_as_they_are_written() {
        let instant = Timestamp::from_unix_millis(1_769_847_300_000);
        assert_eq!(
            instant.map(|i| i.to_string()).as_deref(),
            Ok("2026-01-31T08:15:00.000Z")
        );
        assert_eq!("2026-01-31T08:15:00.000Z".parse(), instant);
    }

    #[test]
    fn the_offset_decides_the_day() {
        let late = "2026-01-31T23:30:00Z".parse::<Timestamp>();
        let day = |minutes| {
            let offset = UtcOffset::from_minutes(minutes)?;
            late.and_then(|instant| instant.date(offset))
                .map(|date| date.to_string())
        };
        assert_eq!(day(0).as_deref(), Ok("31/01/2026"));
        assert_eq!(day(60).as_deref(), Ok("01/02/2026"));
        assert_eq!(day(-1080).as_deref(), Ok("31/01/2026"));
        assert!(UtcOffset::from_minutes(1081).is_err());
    }
}
