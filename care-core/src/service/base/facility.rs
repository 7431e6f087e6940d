//! The surroundings of the service: the facility and the clock.

use std::time::SystemTime;

use crate::model::{Address, Timestamp, UtcOffset};

/// The facility that issues the invoices.
#[derive(Debug, Clone, Default)]
pub struct Facility {
    /// Its registered address, `companyaddress` on invoices.
    pub address: Option<Address>,
    /// Its offset from UTC, which decides on which day "today" is.
    pub utc_offset: UtcOffset,
}

/// A source of the time.
pub trait Clock: Send + Sync {
    /// Returns the present instant.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        SystemTime::now().into()
    }
}

impl<F: Fn() -> Timestamp + Send + Sync> Clock for F {
    fn now(&self) -> Timestamp {
        self()
    }
}
