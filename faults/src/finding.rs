//! What came of a part of the harness.

use crate::failure::Failure;

/// A row of the tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finding {
    /// What was done.
    pub what: String,
    /// How often, or how much of it.
    pub often: String,
    /// What was found.
    pub found: String,
    /// Where a bar was not met: empty when all is well.
    pub missed: Vec<String>,
}

impl Finding {
    /// Of this, done so often.
    pub(crate) fn of(what: impl Into<String>, often: impl Into<String>) -> Self {
        Self { what: what.into(), often: often.into(), ..Self::default() }
    }

    /// What was found.
    pub(crate) fn found(mut self, found: impl Into<String>) -> Self {
        self.found = found.into();
        self
    }

    /// Notes a bar that must hold.
    pub(crate) fn bar(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.missed.push(otherwise());
        }
    }

    /// Itself, if every bar was met.
    ///
    /// # Errors
    /// Where one was not.
    pub fn hold(self) -> Result<Self, Failure> {
        match self.missed.is_empty() {
            true => Ok(self),
            false => Err(Failure::new(format!("{}: {}", self.what, self.missed.join("; ")))),
        }
    }
}
