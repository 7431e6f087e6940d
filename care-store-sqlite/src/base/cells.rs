//! The cells of a row in SQLite, one after the other.

use care_core::store::{
    Datum,
    rows::{RowError, RowReader, RowWriter, Value},
};
use rusqlite::{
    CachedStatement, Row, ToSql,
    types::{ToSqlOutput, ValueRef},
};

use super::{error::Fault, packed};

/// The cells of a row that is read, from left to right.
pub(crate) struct Cells<'a, 'r> {
    table: &'static str,
    row: &'a Row<'r>,
    next: usize,
    /// The text that was read last, if it is stored compressed.
    unpacked: String,
}

impl<'a, 'r> Cells<'a, 'r> {
    pub(crate) const fn new(table: &'static str, row: &'a Row<'r>) -> Self {
        Self::from(table, row, 0)
    }

    /// Returns the cells from a column on.
    pub(crate) const fn from(table: &'static str, row: &'a Row<'r>, next: usize) -> Self {
        Self { table, row, next, unpacked: String::new() }
    }

    fn take_ref(&mut self) -> Result<ValueRef<'a>, RowError> {
        let column = self.next;
        self.next += 1;
        self.row.get_ref(column).map_err(|_| self.damaged())
    }
}

impl RowReader for Cells<'_, '_> {
    type Error = RowError;

    // These are written by hand, since the library's conversions take twice as long, and its errors could contain the
    // value.

    fn maybe_integer(&mut self) -> Result<Option<i64>, RowError> {
        match self.take_ref()? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(number) => Ok(Some(number)),
            _ => Err(self.damaged()),
        }
    }

    fn maybe_boolean(&mut self) -> Result<Option<bool>, RowError> {
        match self.maybe_integer()? {
            None => Ok(None),
            Some(0) => Ok(Some(false)),
            Some(1) => Ok(Some(true)),
            Some(_) => Err(self.damaged()),
        }
    }

    fn maybe_double(&mut self) -> Result<Option<f64>, RowError> {
        match self.take_ref()? {
            ValueRef::Null => Ok(None),
            ValueRef::Real(number) => Ok(Some(number)),
            _ => Err(self.damaged()),
        }
    }

    fn maybe_str(&mut self) -> Result<Option<&str>, RowError> {
        match self.take_ref()? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(text) => str::from_utf8(text).map(Some).map_err(|_| self.damaged()),
            ValueRef::Blob(bytes) => {
                self.unpacked = packed::unpack(bytes).ok_or_else(|| self.damaged())?;
                Ok(Some(&self.unpacked))
            }
            _ => Err(self.damaged()),
        }
    }

    fn maybe_bytes(&mut self) -> Result<Option<&[u8]>, RowError> {
        match self.take_ref()? {
            ValueRef::Null => Ok(None),
            ValueRef::Blob(bytes) => Ok(Some(bytes)),
            _ => Err(self.damaged()),
        }
    }

    fn damaged(&self) -> RowError {
        RowError::Damaged { table: self.table, column: self.next - 1 }
    }
}

/// The values of a row that is written, from left to right.
pub(crate) struct Values<'a, 'c> {
    statement: &'a mut CachedStatement<'c>,
    next: usize,
}

impl<'a, 'c> Values<'a, 'c> {
    pub(crate) fn new(statement: &'a mut CachedStatement<'c>) -> Self {
        Self { statement, next: 1 }
    }
}

impl RowWriter for Values<'_, '_> {
    type Error = Fault;

    fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), Fault> {
        let value = value.into();
        let cell = match &value {
            Value::Integer(number) => number.map(ValueRef::Integer),
            Value::Boolean(value) => value.map(|value| ValueRef::Integer(value.into())),
            Value::Double(number) => number.map(ValueRef::Real),
            Value::Text(text) => text.as_deref().map(|text| ValueRef::Text(text.as_bytes())),
            Value::Bytes(bytes) => bytes.as_deref().map(ValueRef::Blob),
        };
        let cell = ToSqlOutput::Borrowed(cell.unwrap_or(ValueRef::Null));
        self.statement.raw_bind_parameter(self.next, cell)?;
        self.next += 1;
        Ok(())
    }
}

/// A value that a statement about a selection binds.
pub(crate) struct Bound<'a>(pub(crate) &'a Datum);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Datum::Number(number) => ValueRef::Integer(*number),
            Datum::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
