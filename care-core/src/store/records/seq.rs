//! The numbers of journal entries.

use std::{fmt, num::ParseIntError, str::FromStr};

use serde::{Deserialize, Serialize};

/// The number of a journal entry, from 1, which is also the version of every record that the entry put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(u64);

impl Seq {
    /// The number before the first entry.
    pub const ZERO: Self = Self(0);

    /// Returns this number of an entry.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number.
    pub const fn value(self) -> u64 {
        self.0
    }

    /// Returns the number after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns whether this is the number before the first entry.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) const fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl From<u64> for Seq {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

impl From<Seq> for u64 {
    fn from(seq: Seq) -> Self {
        seq.0
    }
}

impl FromStr for Seq {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        text.parse().map(Self)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
