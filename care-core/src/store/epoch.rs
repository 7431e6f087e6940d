//! What tells one past from another.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
};

use serde::{Serialize, Serializer};

/// What tells the past of one store from any other: a number that is drawn when the store is made, and anew when a past
/// that it has not seen is put into it, by a restore or an import.
///
/// The same [`Seq`](super::Seq) may name two entries of two pasts, of which one was lost. So the epoch is a part of
/// every entity tag and of the journal's pages: clients and followers notice that what they know is of another past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Epoch(u32);

impl Epoch {
    /// Returns another one each time.
    pub fn random() -> Self {
        // Each hasher has keys of its own, which begin with random ones of the system.
        let [a, b, c, d, ..] = RandomState::new().hash_one("epoch").to_be_bytes();
        Self(u32::from_be_bytes([a, b, c, d]))
    }

    /// Returns the epoch with this number.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Returns the number.
    pub const fn value(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Epoch {
    /// Eight hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl Serialize for Epoch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_another_and_has_eight_digits() {
        assert_ne!(Epoch::random(), Epoch::random());
        assert_eq!(Epoch::new(0xc0ffee).to_string(), "00c0ffee");
    }
}
