//! The cells of a table: those of a row that is read, and those that a statement sends, one by one or a whole column as
//! an array.

use std::error::Error;

use bytes::BytesMut;
use care_core::store::{
    Epoch,
    rows::{RowError, RowReader, RowWriter, Value},
};
use tokio_postgres::{
    Row,
    types::{FromSql, IsNull, ToSql, Type, to_sql_checked},
};

use super::error::Fault;

type Failure = Box<dyn Error + Sync + Send>;

/// A value in a table. Numbers are 64 bits wide here, whatever the width of their column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell(Value<'static>);

/// A parameter of a statement.
#[derive(Debug)]
pub(crate) enum Param {
    Cell(Cell),
    /// The values of one column, one for each row that a statement writes or looks up.
    Column(Vec<Cell>),
}

impl<'a, V: Into<Value<'a>>> From<V> for Cell {
    fn from(value: V) -> Self {
        Self(value.into().into_owned())
    }
}

impl Param {
    /// Returns the PostgreSQL type that holds the value, or an array of the values, without loss.
    pub(crate) fn ty(&self) -> Type {
        match self {
            Self::Cell(Cell(value)) => types(value).0,
            Self::Column(cells) => cells.first().map_or(Type::TEXT_ARRAY, |Cell(value)| types(value).1),
        }
    }
}

/// Returns the type of a value, and that of an array of them.
const fn types(value: &Value<'_>) -> (Type, Type) {
    match value {
        Value::Integer(_) => (Type::INT8, Type::INT8_ARRAY),
        Value::Boolean(_) => (Type::BOOL, Type::BOOL_ARRAY),
        Value::Double(_) => (Type::FLOAT8, Type::FLOAT8_ARRAY),
        Value::Text(_) => (Type::TEXT, Type::TEXT_ARRAY),
        Value::Bytes(_) => (Type::BYTEA, Type::BYTEA_ARRAY),
    }
}

impl ToSql for Cell {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        match &self.0 {
            Value::Integer(number) if *ty == Type::INT4 => number.map(i32::try_from).transpose()?.to_sql(ty, out),
            Value::Integer(number) => number.to_sql(ty, out),
            Value::Boolean(value) => value.to_sql(ty, out),
            Value::Double(number) => number.to_sql(ty, out),
            Value::Text(text) => text.as_deref().to_sql(ty, out),
            Value::Bytes(bytes) => bytes.as_deref().to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT4, Type::INT8, Type::BOOL, Type::FLOAT8, Type::TEXT, Type::BYTEA].contains(ty)
    }

    to_sql_checked!();
}

impl ToSql for Param {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        match self {
            Self::Cell(cell) => cell.to_sql(ty, out),
            Self::Column(cells) => cells.to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        <Cell as ToSql>::accepts(ty) || <Vec<Cell> as ToSql>::accepts(ty)
    }

    to_sql_checked!();
}

/// A number of 32 or 64 bits.
struct Int(i64);

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

/// The cells of a row that is being read, from left to right.
pub(crate) struct Cells<'a> {
    table: &'static str,
    row: &'a Row,
    next: usize,
}

impl<'a> Cells<'a> {
    pub(crate) const fn new(table: &'static str, row: &'a Row) -> Self {
        Self::from(table, row, 0)
    }

    /// Returns the cells from a column on.
    pub(crate) const fn from(table: &'static str, row: &'a Row, next: usize) -> Self {
        Self { table, row, next }
    }

    /// Returns the cells of the first row, which must be there.
    pub(crate) fn first(table: &'static str, rows: &'a [Row]) -> Result<Self, Fault> {
        Ok(Self::new(table, rows.first().ok_or(Fault::Unexpected)?))
    }

    /// Reads an epoch.
    pub(crate) fn epoch(&mut self) -> Result<Epoch, RowError> {
        u32::try_from(self.get::<u64>()?).map(Epoch::new).map_err(|_| self.damaged())
    }

    fn take<T: FromSql<'a>>(&mut self) -> Result<Option<T>, RowError> {
        let column = self.next;
        self.next += 1;
        // The library's own error could quote the value.
        self.row.try_get(column).map_err(|_| self.damaged())
    }
}

impl RowReader for Cells<'_> {
    type Error = RowError;

    fn maybe_integer(&mut self) -> Result<Option<i64>, RowError> {
        Ok(self.take::<Int>()?.map(|number| number.0))
    }

    fn maybe_boolean(&mut self) -> Result<Option<bool>, RowError> {
        self.take()
    }

    fn maybe_double(&mut self) -> Result<Option<f64>, RowError> {
        self.take()
    }

    fn maybe_str(&mut self) -> Result<Option<&str>, RowError> {
        self.take()
    }

    fn maybe_bytes(&mut self) -> Result<Option<&[u8]>, RowError> {
        self.take()
    }

    fn damaged(&self) -> RowError {
        RowError::Damaged { table: self.table, column: self.next - 1 }
    }
}

/// The values of a row that is being written, from left to right.
#[derive(Debug, Default)]
pub(crate) struct Values(pub(crate) Vec<Cell>);

impl RowWriter for Values {
    type Error = RowError;

    fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), RowError> {
        self.0.push(value.into().into());
        Ok(())
    }
}
