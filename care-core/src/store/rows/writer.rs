//! Writing the values of a row one after the other.

use std::borrow::Cow;

use serde::Serialize;

use super::RowError;
use crate::model::{Date, MedicineName, Timestamp};

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
/// Each other method writes one cell, unless it says otherwise, which the method of the same name of a
/// [`RowReader`](super::RowReader) reads.
pub trait RowWriter {
    /// The error of the store.
    type Error: From<RowError>;

    /// Writes the next cell.
    ///
    /// # Errors
    /// The store's failure.
    fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), Self::Error>;

    /// Writes a number of the model.
    ///
    /// # Errors
    /// The store's failure.
    fn number(&mut self, number: impl Into<i64>) -> Result<(), Self::Error> {
        self.put(number.into())
    }

    /// Writes a number of the model, or nothing.
    ///
    /// # Errors
    /// The store's failure.
    fn maybe_number(&mut self, number: Option<impl Into<i64>>) -> Result<(), Self::Error> {
        self.put(number.map(Into::into))
    }

    /// Writes a text or a word of the model.
    ///
    /// # Errors
    /// The store's failure.
    fn text(&mut self, text: impl AsRef<str>) -> Result<(), Self::Error> {
        self.put(text.as_ref())
    }

    /// Writes a text or a word of the model, or nothing.
    ///
    /// # Errors
    /// The store's failure.
    fn maybe_text(&mut self, text: Option<impl AsRef<str>>) -> Result<(), Self::Error> {
        self.put(text.as_ref().map(AsRef::as_ref))
    }

    /// Writes a date.
    ///
    /// # Errors
    /// The store's failure.
    fn date(&mut self, date: Date) -> Result<(), Self::Error> {
        self.put(date.unix_days())
    }

    /// Writes a date, or nothing.
    ///
    /// # Errors
    /// The store's failure.
    fn maybe_date(&mut self, date: Option<Date>) -> Result<(), Self::Error> {
        self.put(date.map(Date::unix_days))
    }

    /// Writes an instant.
    ///
    /// # Errors
    /// The store's failure.
    fn instant(&mut self, at: Timestamp) -> Result<(), Self::Error> {
        self.put(at.unix_millis())
    }

    /// Writes an instant, or nothing.
    ///
    /// # Errors
    /// The store's failure.
    fn maybe_instant(&mut self, at: Option<Timestamp>) -> Result<(), Self::Error> {
        self.put(at.map(Timestamp::unix_millis))
    }

    /// Writes a count.
    ///
    /// # Errors
    /// [`RowError::TooMany`], or the store's failure.
    fn count(&mut self, count: u64) -> Result<(), Self::Error> {
        self.maybe_count(Some(count))
    }

    /// Writes a count, or nothing.
    ///
    /// # Errors
    /// [`RowError::TooMany`], or the store's failure.
    fn maybe_count(&mut self, count: Option<u64>) -> Result<(), Self::Error> {
        self.put(count.map(i64::try_from).transpose().map_err(|_| RowError::TooMany)?)
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
