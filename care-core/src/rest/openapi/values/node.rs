//! JSON values whose members keep their order.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::rest::http::media::Format;

/// A JSON value. `serde_json`'s own type keeps the order of members only under a feature that another crate may enable.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Bool(bool),
    Integer(i64),
    Real(f64),
    Text(Cow<'static, str>),
    List(Vec<Self>),
    Object(Vec<(Cow<'static, str>, Self)>),
    /// JSON that is already written.
    Written(Box<RawValue>),
}

/// Returns an empty object.
pub(crate) const fn object() -> Node {
    Node::Object(Vec::new())
}

/// Returns a reference to a component.
pub(crate) fn reference(kind: &str, name: &str) -> Node {
    object().with("$ref", format!("#/components/{kind}/{name}"))
}

impl Node {
    /// Adds a member to an object.
    pub(crate) fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Self>) -> Self {
        if let Self::Object(members) = &mut self {
            members.push((name.into(), value.into()));
        }
        self
    }

    /// Adds a member to an object if there is a value.
    pub(crate) fn maybe(self, name: &'static str, value: Option<impl Into<Self>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Returns one of our documents: JSON as a value, XML as a text.
    pub(crate) fn written(format: Format, document: &[u8]) -> Self {
        match format {
            Format::Json => serde_json::from_slice(document).map_or(object(), Self::Written),
            Format::Xml => String::from_utf8_lossy(document).into_owned().into(),
        }
    }

    /// Returns the members of an object; an empty slice for other values.
    pub(crate) fn members(&self) -> &[(Cow<'static, str>, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// Returns the object's member of this name.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        let mut members = self.members().iter();
        members.find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Returns the targets of every `$ref` in the value.
    pub(crate) fn references(&self) -> Vec<&str> {
        match self {
            Self::List(elements) => elements.iter().flat_map(Self::references).collect(),
            Self::Object(members) => members
                .iter()
                .flat_map(|(name, value)| match value {
                    Self::Text(target) if name == "$ref" => vec![&**target],
                    value => value.references(),
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => value.serialize(serializer),
            Self::Integer(value) => value.serialize(serializer),
            // A whole number is written without a fraction: `1000`, not `1000.0`.
            #[allow(clippy::cast_possible_truncation)]
            Self::Real(value) if value.fract() == 0.0 => (*value as i64).serialize(serializer),
            Self::Real(value) => value.serialize(serializer),
            Self::Text(value) => value.serialize(serializer),
            Self::Written(value) => value.serialize(serializer),
            Self::List(elements) => serializer.collect_seq(elements),
            Self::Object(members) => serializer.collect_map(members.iter().map(|(name, value)| (name, value))),
        }
    }
}

/// Defines the conversions into a [`Node`].
macro_rules! from {
    ($($from:ty: $value:ident => $node:expr;)*) => {
        $(impl From<$from> for Node {
            fn from($value: $from) -> Self {
                $node
            }
        })*
    };
}

from! {
    bool: value => Self::Bool(value);
    i64: value => Self::Integer(value);
    f64: value => Self::Real(value);
    &'static str: value => Self::Text(Cow::Borrowed(value));
    String: value => Self::Text(Cow::Owned(value));
    Vec<Self>: value => Self::List(value);
    // Lengths and counts are far below the limit.
    u64: value => Self::Integer(i64::try_from(value).unwrap_or(i64::MAX));
    usize: value => Self::Integer(i64::try_from(value).unwrap_or(i64::MAX));
}

impl<T: Into<Self>, const N: usize> From<[T; N]> for Node {
    fn from(elements: [T; N]) -> Self {
        elements.into_iter().map(Into::into).collect()
    }
}

impl FromIterator<Self> for Node {
    fn from_iter<I: IntoIterator<Item = Self>>(elements: I) -> Self {
        Self::List(elements.into_iter().collect())
    }
}

impl<K: Into<Cow<'static, str>>> FromIterator<(K, Self)> for Node {
    fn from_iter<I: IntoIterator<Item = (K, Self)>>(members: I) -> Self {
        let members = members.into_iter();
        Self::Object(members.map(|(name, value)| (name.into(), value)).collect())
    }
}
