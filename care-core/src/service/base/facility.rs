//! The surroundings of the service: the facility and the clock.

use std::time::SystemTime;

use crate::model::{Address, Name, Price, Timestamp, UtcOffset};

/// The facility that issues the invoices.
#[derive(Debug, Clone)]
pub struct Facility {
    /// Its name.
    pub name: Option<Name>,
    /// Its registered address, `companyaddress` on invoices.
    pub address: Option<Address>,
    /// Whether the allergies of a patient stand on a visit's papers, which others than the patient may see.
    pub prints_allergies: bool,
    /// Its offset from UTC, which decides on which day "today" is.
    pub utc_offset: UtcOffset,
    /// The highest price that a request may set, the highest of all by default. A mistyped price fills the takings of a
    /// day, so it should be a little above any real one.
    pub highest_price: Price,
}

impl Default for Facility {
    fn default() -> Self {
        Self {
            name: None,
            address: None,
            prints_allergies: false,
            utc_offset: UtcOffset::default(),
            highest_price: Price::clamped(Price::MAX),
        }
    }
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
