//! The calendar of the demo clinic.

use std::sync::{Arc, Mutex, PoisonError};

use care_core::{
    error::Error,
    model::Timestamp,
    service::{CareService, Clock},
};

use super::sound;

/// The number of days in the demo.
pub(super) const YEAR: i64 = 365;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;
const OPENS: i64 = 8 * 60;

/// A clock that is set by hand.
#[derive(Debug, Clone)]
struct WallClock(Arc<Mutex<Timestamp>>);

/// The days of the year, each with its working hours.
#[derive(Debug)]
pub(super) struct Calendar {
    clock: WallClock,
    /// Midnight of the first day at the facility, in milliseconds since 1970.
    start: i64,
}

impl Calendar {
    /// Returns the calendar whose year ends on the evening before the service's today, and the service with the
    /// calendar's clock.
    pub(super) fn before(care: &CareService) -> Result<(Self, CareService), Error> {
        let today = care.today()?;
        // No offset from UTC is larger.
        let mut midnight = sound(today.plus_days(-1))?.unix_days() * DAY;
        let clock = WallClock::at(midnight)?;
        let care = care.clone().with_clock(clock.clone());
        // The service tells the facility's day but not its offset, so the loop finds the minute at which the day
        // begins.
        while care.today()? < today {
            midnight += MINUTE;
            clock.set(midnight)?;
        }
        let start = midnight - YEAR * DAY;
        clock.set(start)?;
        Ok((Self { clock, start }, care))
    }

    /// Sets the clock to the morning of this day, counted from 0.
    pub(super) fn open(&self, day: i64) -> Result<(), Error> {
        self.clock.set(self.start + day * DAY + OPENS * MINUTE)
    }

    /// Returns the present instant.
    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Moves the clock forward by some minutes.
    pub(super) fn pass(&self, minutes: i64) -> Result<(), Error> {
        self.clock.set(self.clock.now().unix_millis() + minutes * MINUTE)
    }
}

impl WallClock {
    fn at(millis: i64) -> Result<Self, Error> {
        let at = sound(Timestamp::from_unix_millis(millis))?;
        Ok(Self(Arc::new(Mutex::new(at))))
    }

    fn set(&self, millis: i64) -> Result<(), Error> {
        let at = sound(Timestamp::from_unix_millis(millis))?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = at;
        Ok(())
    }
}

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use care_core::{model::UtcOffset, service::Facility, store::MemoryStore};

    use super::*;

    #[test]
    fn the_year_begins_at_midnight_where_the_facility_is() {
        for (minutes, start) in [
            (0, "2025-03-01T00:00:00.000Z"),
            (-300, "2025-03-01T05:00:00.000Z"),
            (1080, "2025-02-28T06:00:00.000Z"),
            (-1080, "2025-03-01T18:00:00.000Z"),
        ] {
            let facility = Facility { utc_offset: UtcOffset::from_minutes(minutes).unwrap(), ..Facility::default() };
            // Late on 1 March 2026 at the facility.
            let now: Timestamp = "2026-03-01T23:59:00Z".parse().unwrap();
            let now = now.unix_millis() - i64::from(minutes) * MINUTE;
            let now = Timestamp::from_unix_millis(now).unwrap();
            let care = CareService::new(MemoryStore::new()).with_facility(facility).with_clock(move || now);
            let (calendar, _) = Calendar::before(&care).unwrap();
            assert_eq!(calendar.clock.now().to_string(), start);
        }
    }
}
