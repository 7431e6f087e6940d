//! The finding of a part of the harness.

use super::failure::Failure;

/// A row of the results table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finding {
    /// The test.
    pub what: String,
    /// The number of rounds, or the amount of data.
    pub often: String,
    /// The result.
    pub found: String,
    /// The bars that were not met.
    pub missed: Vec<String>,
}

impl Finding {
    /// Starts a row: what was done, and how often.
    pub(crate) fn of(what: impl Into<String>, often: impl Into<String>) -> Self {
        Self { what: what.into(), often: often.into(), ..Self::default() }
    }

    /// Sets what was found.
    pub(crate) fn found(mut self, found: impl Into<String>) -> Self {
        self.found = found.into();
        self
    }

    /// Notes a missed bar with this description, unless the bar holds.
    pub(crate) fn bar(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.missed.push(otherwise());
        }
    }

    /// Returns the row if every bar was met.
    ///
    /// # Errors
    /// The bars that were missed.
    pub fn hold(self) -> Result<Self, Failure> {
        match self.missed.is_empty() {
            true => Ok(self),
            false => Err(Failure::new(format!("{}: {}", self.what, self.missed.join("; ")))),
        }
    }
}
