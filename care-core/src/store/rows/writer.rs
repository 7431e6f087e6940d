//! Writing the values of a row one after the other.

use std::borrow::Cow;

use serde::Serialize;

use super::{Field, RowError};
use crate::model::MedicineName;

/// A value for a cell. An absent one still has a type.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// An integer.
    Integer(Option<i64>),
    /// A truth value.
    Boolean(Option<bool>),
    /// A floating-point number.
    Double(Option<f64>),
    /// A text.
    Text(Option<Cow<'a, str>>),
    /// Bytes.
    Bytes(Option<Cow<'a, [u8]>>),
}

/// A row that is written, from left to right. A store implements [`put`](Self::put) alone.
///
/// What [`set`](Self::set) writes, [`RowReader::get`](super::RowReader::get) reads.
pub trait RowWriter {
    /// The error of the store.
    type Error: From<RowError>;

    /// Writes the next cell.
    ///
    /// # Errors
    /// The store's failure.
    fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), Self::Error>;

    /// Writes a field.
    ///
    /// # Errors
    /// [`RowError::TooMany`] and [`RowError::Encode`], or the store's failure.
    fn set<F: Field>(&mut self, field: &F) -> Result<(), Self::Error>
    where
        Self: Sized,
    {
        field.write(self)
    }

    /// Writes two cells, the key of a medicine and its spelling.
    ///
    /// # Errors
    /// The store's failure.
    fn medicine(&mut self, name: &MedicineName) -> Result<(), Self::Error> {
        self.put(name.key().as_str())?;
        self.put(name.as_str())
    }

    /// Writes a list or another compound value as JSON.
    ///
    /// # Errors
    /// [`RowError::Encode`], or the store's failure.
    fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Self::Error> {
        self.put(serde_json::to_string(value).map_err(RowError::Encode)?)
    }
}

/// Defines the values that are made of these types.
macro_rules! values {
    ($($given:ty => $kind:ident, $value:ident => $of:expr;)*) => {$(
        impl<'a> From<$given> for Value<'a> {
            fn from($value: $given) -> Self {
                Self::$kind($of)
            }
        }
    )*};
}

values! {
    i64 => Integer, number => Some(number);
    Option<i64> => Integer, number => number;
    bool => Boolean, value => Some(value);
    Option<bool> => Boolean, value => value;
    Option<f64> => Double, value => value;
    &'a str => Text, text => Some(Cow::Borrowed(text));
    Option<&'a str> => Text, text => text.map(Cow::Borrowed);
    String => Text, text => Some(Cow::Owned(text));
    Option<String> => Text, text => text.map(Cow::Owned);
    &'a [u8] => Bytes, bytes => Some(Cow::Borrowed(bytes));
}
