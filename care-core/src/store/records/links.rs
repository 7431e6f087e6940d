//! The bytes that the chain of the journal is made of: links, commitments, salts, and what they stand for.

use std::{cell::RefCell, fmt, str::FromStr};

use care_derive::Record;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    error::{StoreError, StoreErrorKind},
    store::Seq,
};

/// Defines bytes whose text is lower-case hexadecimal digits.
macro_rules! bytes {
    ($($(#[$doc:meta])+ $name:ident: $length:literal;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name([u8; $length]);

        impl $name {
            /// Returns the value with these bytes.
            pub const fn new(bytes: [u8; $length]) -> Self {
                Self(bytes)
            }

            /// Returns the bytes.
            pub const fn as_bytes(&self) -> &[u8; $length] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(const_hex::Buffer::<$length>::new().format(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = NotHexadecimal;

            fn from_str(digits: &str) -> Result<Self, NotHexadecimal> {
                let has_upper = digits.bytes().fold(false, |has, byte| has | byte.is_ascii_uppercase());
                match const_hex::decode_to_array(digits) {
                    // The library takes digits behind `0x`, too.
                    Ok(bytes) if digits.len() == 2 * $length && !has_upper => Ok(Self(bytes)),
                    _ => Err(NotHexadecimal),
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(const_hex::Buffer::<$length>::new().format(&self.0))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let digits = std::borrow::Cow::<str>::deserialize(deserializer)?;
                digits.parse().map_err(de::Error::custom)
            }
        }
    )+};
}

bytes! {
    /// The link of an entry: the digest of the link before it and of what the entry says.
    Link: 32;
    /// The commitment to a value: the digest of its salt and its JSON.
    Commitment: 32;
    /// The random bytes that stand beside a value, without which the value cannot be guessed from its commitment.
    Salt: 16;
}

/// The error for a text that is not the expected number of lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the hexadecimal digits that belong here")]
pub struct NotHexadecimal;

/// The head of a journal: the number and the link of its last entry. Its text is `SEQ:LINK`.
///
/// An operator or a follower who keeps a head elsewhere can prove later that no entry up to it was changed or cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[record(document = "JournalHead")]
pub struct Head {
    /// The number of the last entry; 0 while there is none.
    pub seq: Seq,
    /// The link of that entry; zeros while there is none.
    pub link: Link,
}

/// An element of the list of an erasure: the place of a value that the erasure replaced, with the commitment to what
/// the erasure left there. In JSON it is `[seq,change,"commitment"]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(Seq, u64, Commitment)", into = "(Seq, u64, Commitment)")]
pub struct Erased {
    /// The entry.
    pub seq: Seq,
    /// The place of the change within the entry, from 0.
    pub change: u64,
    /// The commitment to the value that stands there since.
    pub left: Commitment,
}

impl Erased {
    /// The highest number of elements in one entry. An erasure that touches more values writes several entries.
    pub const MOST: usize = 1000;
}

impl From<(Seq, u64, Commitment)> for Erased {
    fn from((seq, change, left): (Seq, u64, Commitment)) -> Self {
        Self { seq, change, left }
    }
}

impl From<Erased> for (Seq, u64, Commitment) {
    fn from(Erased { seq, change, left }: Erased) -> Self {
        (seq, change, left)
    }
}

impl Link {
    /// The link before the first entry.
    pub const ZERO: Self = Self([0; 32]);
}

impl Head {
    /// The head of an empty journal.
    pub const START: Self = Self { seq: Seq::ZERO, link: Link::ZERO };
}

impl Default for Head {
    fn default() -> Self {
        Self::START
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, self.link)
    }
}

impl FromStr for Head {
    type Err = NotAHead;

    fn from_str(text: &str) -> Result<Self, NotAHead> {
        let (seq, link) = text.split_once(':').ok_or(NotAHead)?;
        let is_decimal = !seq.is_empty() && seq.bytes().all(|byte| byte.is_ascii_digit());
        let number = seq.parse().ok().filter(|_| is_decimal).ok_or(NotAHead)?;
        Ok(Self { seq: Seq::new(number), link: link.parse().map_err(|_| NotAHead)? })
    }
}

/// The error for a text that is not a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not SEQ:LINK, the number of an entry and 64 hexadecimal digits")]
pub struct NotAHead;

/// The number of salts that are drawn together.
const DRAWN: usize = 256;

thread_local! {
    /// Random bytes that no value has used.
    static UNUSED: RefCell<Vec<[u8; 16]>> = const { RefCell::new(Vec::new()) };
}

impl Salt {
    /// Returns a random salt, from the random numbers of the operating system.
    ///
    /// # Errors
    /// [`StoreErrorKind::Broken`] when the operating system has none.
    pub fn random() -> Result<Self, StoreError> {
        UNUSED.with_borrow_mut(|unused| {
            if unused.is_empty() {
                let mut drawn = [[0; 16]; DRAWN];
                getrandom::fill(drawn.as_flattened_mut())
                    .map_err(|error| StoreError::new(StoreErrorKind::Broken, error))?;
                unused.extend(drawn);
            }
            unused.pop().map(Self).ok_or_else(|| StoreErrorKind::Broken.into())
        })
    }
}
