//! A clinic in memory, on whichever day the measurement says.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use care_core::{model::Timestamp, service::CareService, store::MemoryStore};
use care_store_sqlite::SqliteStore;

use super::filled;
use crate::{Failure, Setting};

/// The first day, 1 January 2026, in days since 1970.
pub(crate) const FIRST_DAY: i64 = 20_454;
/// The milliseconds of a day.
const DAY: i64 = 86_400_000;

/// A clinic in memory. Its first day is today until it is told of another one.
pub(crate) struct Year {
    pub(crate) care: CareService,
    clock: Arc<AtomicI64>,
}

impl Year {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(AtomicI64::new(FIRST_DAY * DAY));
        Self { care: under(&clock, CareService::new(MemoryStore::new())), clock }
    }

    /// Goes to the day that is this many days after the first one.
    pub(crate) fn go_to(&self, day: i64) {
        self.clock.store((FIRST_DAY + day) * DAY, Ordering::Relaxed);
    }

    /// Puts the clinic into a file, under the same clock.
    pub(crate) fn kept(self, setting: &Setting, name: &str) -> Result<CareService, Failure> {
        let path = filled(setting, name, &self.care)?;
        Ok(under(&self.clock, CareService::new(SqliteStore::open(&path)?)))
    }
}

fn under(clock: &Arc<AtomicI64>, care: CareService) -> CareService {
    let clock = Arc::clone(clock);
    care.with_clock(move || Timestamp::from_unix_millis(clock.load(Ordering::Relaxed)).expect("a day of the benchmark"))
}
