//! The numbers of journal entries.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The number of a journal entry, from 1, and so the version of every record that the entry put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(u64);

impl Seq {
    /// Before the first entry.
    pub const ZERO: Self = Self(0);

    /// The entry with this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn value(self) -> u64 {
        self.0
    }

    /// The entry after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns whether this is before the first entry.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) const fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
