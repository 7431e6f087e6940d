//! The reasons why a decision stops without an answer.

use std::{fmt, ops::Deref};

use crate::{error::Error, store::Key};

/// The reason why a decision stopped without an answer.
#[derive(Debug)]
pub enum Stop {
    /// It has not seen the records of these keys; load them together and run it again.
    Need(Keys),
    /// It refuses.
    Refuse(Error),
}

/// The keys that a decision asks for together: at least one, and usually only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keys {
    /// One key.
    One(Key),
    /// Several keys, in the order of the requests.
    Several(Vec<Key>),
}

impl Deref for Keys {
    type Target = [Key];

    fn deref(&self) -> &[Key] {
        match self {
            Self::One(key) => std::slice::from_ref(key),
            Self::Several(keys) => keys,
        }
    }
}

impl IntoIterator for Keys {
    type Item = Key;
    type IntoIter = std::iter::Chain<std::option::IntoIter<Key>, std::vec::IntoIter<Key>>;

    fn into_iter(self) -> Self::IntoIter {
        let (one, several) = match self {
            Self::One(key) => (Some(key), Vec::new()),
            Self::Several(keys) => (None, keys),
        };
        one.into_iter().chain(several)
    }
}

impl From<Key> for Keys {
    fn from(key: Key) -> Self {
        Self::One(key)
    }
}

impl From<Vec<Key>> for Keys {
    fn from(keys: Vec<Key>) -> Self {
        Self::Several(keys)
    }
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Refuse(error.into())
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Need(_) => f.write_str("some records were not loaded yet"),
            Self::Refuse(error) => error.fmt(f),
        }
    }
}
