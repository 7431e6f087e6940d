//! What the service is told about where it runs.

use std::time::SystemTime;

use crate::model::{Address, Timestamp, UtcOffset};

/// The facility that issues the invoices.
#[derive(Debug, Clone, Default)]
pub struct Facility {
    /// Its registered address, `companyaddress` on invoices.
    pub address: Option<Address>,
    /// Its offset from UTC: what "today" means.
    pub utc_offset: UtcOffset,
}

/// Where the service takes the time from.
pub trait Clock: Send + Sync {
    /// Returns the time now.
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
