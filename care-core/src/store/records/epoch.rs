//! The epoch of a store.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    str::FromStr,
};

use serde::{Serialize, Serializer};

use crate::model::Invalid;

/// A number that distinguishes the past of one store from any other. It is drawn when the store is made, and drawn
/// again when a foreign past is put into it, by a restore or an import.
///
/// One [`Seq`](crate::store::Seq) may stand for two entries of two pasts, one of which was lost. So the epoch is part
/// of every entity tag and of the journal's pages: clients and followers notice that their knowledge is of another
/// past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Epoch(u32);

impl Epoch {
    /// Returns a random epoch.
    pub fn random() -> Self {
        // Each hasher has keys of its own, which the standard library draws from the system's random numbers.
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
    /// Writes eight hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(const_hex::Buffer::<4>::new().format(&self.0.to_be_bytes()))
    }
}

/// Reads the eight hexadecimal digits.
impl FromStr for Epoch {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let mut bytes = [0; 4];
        const_hex::decode_to_slice(text, &mut bytes).map_err(|_| Invalid("must be eight hexadecimal digits"))?;
        Ok(Self(u32::from_be_bytes(bytes)))
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
        let epoch = Epoch::new(0xc0ffee);
        assert_eq!((epoch.to_string().as_str(), "00c0ffee".parse()), ("00c0ffee", Ok(epoch)));
        for other in ["", "c0ffee", "0x00c0ff", "00c0ffeg", "000c0ffee"] {
            assert!(other.parse::<Epoch>().is_err(), "{other}");
        }
    }
}
