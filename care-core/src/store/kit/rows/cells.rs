//! The cells of a row: what is read from them and written to them, one after the other.

use std::borrow::Cow;

use super::{Column, RowError, Type};
use crate::{
    model::{Invalid, MedicineKey, MedicineName},
    store::Datum,
};

/// The cells of a row that is read, from left to right. A store implements the cells as its database has them; every
/// value enters the model through its constructor, as its [`Cell`] says.
///
/// Each method reads one cell, unless it says otherwise. A cell that is absent or of another type is damaged.
pub trait RowReader {
    /// The error of the store.
    type Error: From<RowError>;

    /// Returns an integer of 32 or 64 bits, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_integer(&mut self) -> Result<Option<i64>, Self::Error>;

    /// Returns a truth value, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_boolean(&mut self) -> Result<Option<bool>, Self::Error>;

    /// Returns a floating-point number, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_double(&mut self) -> Result<Option<f64>, Self::Error>;

    /// Returns a text, if there is one, for as long as the row is not read further.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_str(&mut self) -> Result<Option<&str>, Self::Error>;

    /// Returns bytes, if there are any, for as long as the row is not read further.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_bytes(&mut self) -> Result<Option<&[u8]>, Self::Error>;

    /// Returns the error for damage in the cell that was read last, a [`RowError::Damaged`].
    fn damaged(&self) -> Self::Error;

    /// Returns the value of a field.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn get<F: Field>(&mut self) -> Result<F, Self::Error>
    where
        Self: Sized,
    {
        F::read(self)
    }

    /// Returns this number of bytes.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Self::Error> {
        self.maybe_bytes()?.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| self.damaged())
    }

    /// Returns a medicine from the cell of its spelling, which must agree with the key that was read before.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn spelling(&mut self, key: Box<str>) -> Result<MedicineName, Self::Error>
    where
        Self: Sized,
    {
        let name = MedicineName::with_key(self.get()?, MedicineKey::from_stored(key));
        self.model(name)
    }

    /// Returns a value that the model accepts, and otherwise [damage](Self::damaged) of the cell that was read last.
    ///
    /// # Errors
    /// The damage.
    fn model<T>(&self, checked: Result<T, Invalid>) -> Result<T, Self::Error> {
        checked.map_err(|_| self.damaged())
    }
}

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

impl Value<'_> {
    /// Returns the value without what it borrows.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Integer(number) => Value::Integer(number),
            Self::Boolean(value) => Value::Boolean(value),
            Self::Double(number) => Value::Double(number),
            Self::Text(text) => Value::Text(text.map(|text| Cow::Owned(text.into_owned()))),
            Self::Bytes(bytes) => Value::Bytes(bytes.map(|bytes| Cow::Owned(bytes.into_owned()))),
        }
    }
}

impl From<Datum> for Value<'_> {
    fn from(datum: Datum) -> Self {
        match datum {
            Datum::Number(number) => Self::Integer(Some(number)),
            Datum::Text(text) => Self::Text(Some(Cow::Owned(text.into()))),
        }
    }
}

/// A row that is written, from left to right. A store implements [`put`](Self::put) alone.
///
/// [`RowReader::get`] reads the cells that [`set`](Self::set) writes.
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
}

/// A type whose values stand in one cell of a row, as `Encode` and `Decode` together are in sqlx.
pub trait Cell: Sized {
    /// The narrowest column that holds every value.
    const TYPE: Type;

    /// Reads the next cell, `None` when it is empty.
    ///
    /// # Errors
    /// [Damage](RowReader::damaged) of the cell, or the store's failure.
    fn read<R: RowReader>(cells: &mut R) -> Result<Option<Self>, R::Error>;

    /// Returns the value of the cell. An empty one has the type of the column too.
    ///
    /// # Errors
    /// [`RowError::TooMany`] and [`RowError::Encode`].
    fn value(this: Option<&Self>) -> Result<Value<'_>, RowError>;
}

/// A field of a record in one cell: a [`Cell`], or one that may be empty.
pub trait Field: Sized {
    /// The type of its column.
    const TYPE: Type;

    /// Reads the next cell.
    ///
    /// # Errors
    /// [Damage](RowReader::damaged) of the cell, or the store's failure.
    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error>;

    /// Writes the next cell.
    ///
    /// # Errors
    /// [`RowError::TooMany`] and [`RowError::Encode`], or the store's failure.
    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error>;
}

impl<T: Cell> Field for T {
    const TYPE: Type = <T as Cell>::TYPE;

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        T::read(cells)?.ok_or_else(|| cells.damaged())
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        cells.put(T::value(Some(self))?)
    }
}

impl<T: Cell> Field for Option<T> {
    const TYPE: Type = <T as Cell>::TYPE;

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        T::read(cells)
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        cells.put(T::value(self.as_ref())?)
    }
}

impl Column {
    /// Returns a plain column for a field of this type.
    pub const fn of<F: Field>(name: &'static str) -> Self {
        Self::plain(name, F::TYPE)
    }

    /// Returns a plain column for a part of a field.
    pub(crate) const fn of_part<T, F: Field>(name: &'static str, _: fn(&T) -> &F) -> Self {
        Self::of::<F>(name)
    }
}

/// Fields of a record that another record contains, in columns of their own.
pub trait Group: Sized {
    /// Their columns.
    const COLUMNS: &'static [Column];

    /// Reads their cells.
    ///
    /// # Errors
    /// [Damage](RowReader::damaged) of a cell, or the store's failure.
    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error>;

    /// Writes their cells.
    ///
    /// # Errors
    /// The store's failure.
    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error>;
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
