//! The change of one field in an update.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The change of one optional field in an update.
///
/// An update changes only the fields that it names, so a field has three cases: absent (`Keep`), JSON's `null` or XML's
/// `xsi:nil` (`Clear`), or a value (`Set`).
///
/// ```
/// use care_core::model::Patch;
///
/// assert_eq!(Patch::Keep.over(Some(1)), Some(1));
/// assert_eq!(Patch::Clear.over(Some(1)), None);
/// assert_eq!(Patch::Set(2).over(Some(1)), Some(2));
/// assert_eq!(Patch::from(2), Patch::Set(2));
/// assert_eq!(Patch::<i32>::from(None::<i32>), Patch::Keep);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// The field is absent, and its stored value stays.
    #[default]
    Keep,
    /// The field is cleared.
    Clear,
    /// The field is set to this value.
    Set(T),
}

impl<T> Patch<T> {
    /// Returns the field after this change, given its stored value.
    pub fn over(self, stored: Option<T>) -> Option<T> {
        match self {
            Self::Keep => stored,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    /// Returns whether the field is absent.
    pub const fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// Returns the new value, if there is one.
    pub fn value(self) -> Option<T> {
        self.over(None)
    }
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Self::Set(value)
    }
}

/// The field becomes this value if there is one, and stays as it is otherwise.
impl<T> From<Option<T>> for Patch<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Keep, Self::Set)
    }
}

/// As in a body: `null` clears. A field that is not mentioned needs `#[serde(default)]`, as in the `*Details`.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}

/// Serialises as in a body: `Clear` is `null`. `Keep` has to be [skipped](Patch::is_keep).
impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Keep | Self::Clear => serializer.serialize_none(),
            Self::Set(value) => value.serialize(serializer),
        }
    }
}
