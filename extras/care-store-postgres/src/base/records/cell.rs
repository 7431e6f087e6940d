//! One cell of a table, and a whole column of cells as an array parameter.

use std::{borrow::Cow, error::Error};

use bytes::BytesMut;
use care_core::store::{Datum, rows::Value};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A value in a table. Numbers are 64 bits wide here, whatever the width of their column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Int(Option<i64>),
    Bool(Option<bool>),
    Real(Option<f64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

/// The values of one column, one for each row that a statement writes or looks up.
#[derive(Debug, Default)]
pub(crate) struct Column(Vec<Cell>);

/// A number of 32 or 64 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Int(pub(crate) i64);

type Failure = Box<dyn Error + Sync + Send>;

impl Cell {
    /// Returns the PostgreSQL type that holds the value without loss.
    pub(crate) const fn ty(&self) -> Type {
        match self {
            Self::Int(_) => Type::INT8,
            Self::Bool(_) => Type::BOOL,
            Self::Real(_) => Type::FLOAT8,
            Self::Text(_) => Type::TEXT,
            Self::Bytes(_) => Type::BYTEA,
        }
    }

    /// Returns the value if it is a number.
    pub(crate) const fn int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => *number,
            _ => None,
        }
    }

    /// Returns the value if it is text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.as_deref(),
            _ => None,
        }
    }
}

impl Column {
    /// Returns the type of an array of these values.
    pub(crate) fn ty(&self) -> Type {
        match self.0.first() {
            Some(Cell::Int(_)) => Type::INT8_ARRAY,
            Some(Cell::Bool(_)) => Type::BOOL_ARRAY,
            Some(Cell::Real(_)) => Type::FLOAT8_ARRAY,
            Some(Cell::Text(_)) | None => Type::TEXT_ARRAY,
            Some(Cell::Bytes(_)) => Type::BYTEA_ARRAY,
        }
    }

    pub(crate) fn push(&mut self, cell: Cell) {
        self.0.push(cell);
    }

    fn to_array<'a, T: ToSql>(
        &'a self,
        ty: &Type,
        out: &mut BytesMut,
        value: impl Fn(&'a Cell) -> Result<Option<T>, Failure>,
    ) -> Result<IsNull, Failure> {
        let values: Result<Vec<_>, _> = self.0.iter().map(value).collect();
        values?.to_sql(ty, out)
    }
}

impl FromIterator<Cell> for Column {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        Self(cells.into_iter().collect())
    }
}

impl ToSql for Cell {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        match (self, ty) {
            (Self::Int(number), &Type::INT4) => number.map(i32::try_from).transpose()?.to_sql(ty, out),
            (Self::Int(number), _) => number.to_sql(ty, out),
            (Self::Bool(value), _) => value.to_sql(ty, out),
            (Self::Real(value), _) => value.to_sql(ty, out),
            (Self::Text(text), _) => text.to_sql(ty, out),
            (Self::Bytes(bytes), _) => bytes.to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT4, Type::INT8, Type::BOOL, Type::FLOAT8, Type::TEXT, Type::BYTEA].contains(ty)
    }

    to_sql_checked!();
}

impl ToSql for Column {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        match *ty {
            Type::INT4_ARRAY => self.to_array(ty, out, |cell| Ok(cell.int().map(i32::try_from).transpose()?)),
            Type::INT8_ARRAY => self.to_array(ty, out, |cell| Ok(cell.int())),
            Type::TEXT_ARRAY => self.to_array(ty, out, |cell| Ok(cell.text())),
            Type::BOOL_ARRAY => self.to_array(ty, out, |cell| {
                Ok(match cell {
                    Cell::Bool(value) => *value,
                    _ => None,
                })
            }),
            Type::FLOAT8_ARRAY => self.to_array(ty, out, |cell| {
                Ok(match cell {
                    Cell::Real(value) => *value,
                    _ => None,
                })
            }),
            _ => self.to_array(ty, out, |cell| {
                Ok(match cell {
                    Cell::Bytes(bytes) => bytes.as_deref(),
                    _ => None,
                })
            }),
        }
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT4_ARRAY, Type::INT8_ARRAY, Type::TEXT_ARRAY, Type::BOOL_ARRAY, Type::FLOAT8_ARRAY, Type::BYTEA_ARRAY]
            .contains(ty)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Int {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Failure> {
        match *ty {
            Type::INT4 => i32::from_sql(ty, raw).map(|number| Self(number.into())),
            _ => i64::from_sql(ty, raw).map(Self),
        }
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT4, Type::INT8].contains(ty)
    }
}

/// Reads a cell of any supported column type.
impl<'a> FromSql<'a> for Cell {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Failure> {
        Ok(match *ty {
            Type::INT4 | Type::INT8 => Self::Int(Some(Int::from_sql(ty, raw)?.0)),
            Type::BOOL => Self::Bool(Some(bool::from_sql(ty, raw)?)),
            Type::FLOAT8 => Self::Real(Some(f64::from_sql(ty, raw)?)),
            Type::BYTEA => Self::Bytes(Some(Vec::from_sql(ty, raw)?)),
            _ => Self::Text(Some(String::from_sql(ty, raw)?)),
        })
    }

    fn from_sql_null(ty: &Type) -> Result<Self, Failure> {
        Ok(match *ty {
            Type::INT4 | Type::INT8 => Self::Int(None),
            Type::BOOL => Self::Bool(None),
            Type::FLOAT8 => Self::Real(None),
            Type::BYTEA => Self::Bytes(None),
            _ => Self::Text(None),
        })
    }

    fn accepts(ty: &Type) -> bool {
        <Self as ToSql>::accepts(ty)
    }
}

impl From<Value<'_>> for Cell {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Integer(number) => Self::Int(number),
            Value::Boolean(value) => Self::Bool(value),
            Value::Double(number) => Self::Real(number),
            Value::Text(text) => Self::Text(text.map(Cow::into_owned)),
            Value::Bytes(bytes) => Self::Bytes(bytes.map(Cow::into_owned)),
        }
    }
}

impl From<Datum> for Cell {
    fn from(datum: Datum) -> Self {
        match datum {
            Datum::Number(number) => Self::Int(Some(number)),
            Datum::Text(text) => Self::Text(Some(text.into())),
        }
    }
}

/// Implements the conversion to a cell for each type that a [`Value`] can hold.
macro_rules! cells {
    ($($given:ty)*) => {$(
        impl From<$given> for Cell {
            fn from(value: $given) -> Self {
                Value::from(value).into()
            }
        }
    )*};
}

cells! { i64 Option<i64> &str Option<&str> String }
