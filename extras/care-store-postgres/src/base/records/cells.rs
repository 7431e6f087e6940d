//! The cells of a PostgreSQL row, from left to right.

use care_core::store::rows::{RowError, RowReader, RowWriter, Value};
use tokio_postgres::{Row, types::FromSql};

use super::{Cell, cell::Int};
use crate::base::error::Fault;

/// The cells of a row that is being read, from left to right.
pub(crate) struct Cells<'a> {
    table: &'static str,
    row: &'a Row,
    next: usize,
}

impl<'a> Cells<'a> {
    pub(crate) const fn new(table: &'static str, row: &'a Row) -> Self {
        Self { table, row, next: 0 }
    }

    fn take<T: FromSql<'a>>(&mut self) -> Result<Option<T>, Fault> {
        let column = self.next;
        self.next += 1;
        // The library's own error could quote the value.
        self.row.try_get(column).map_err(|_| self.damaged())
    }
}

impl RowReader for Cells<'_> {
    type Error = Fault;

    fn maybe_integer(&mut self) -> Result<Option<i64>, Fault> {
        Ok(self.take::<Int>()?.map(|number| number.0))
    }

    fn maybe_boolean(&mut self) -> Result<Option<bool>, Fault> {
        self.take()
    }

    fn maybe_double(&mut self) -> Result<Option<f64>, Fault> {
        self.take()
    }

    fn maybe_str(&mut self) -> Result<Option<&str>, Fault> {
        self.take()
    }

    fn maybe_bytes(&mut self) -> Result<Option<&[u8]>, Fault> {
        self.take()
    }

    fn damaged(&self) -> Fault {
        RowError::Damaged { table: self.table, column: self.next - 1 }.into()
    }
}

/// The values of a row that is being written, from left to right.
#[derive(Debug, Default)]
pub(crate) struct Values(Vec<Cell>);

impl Values {
    /// Returns the cells.
    pub(crate) fn into_cells(self) -> Vec<Cell> {
        self.0
    }
}

impl RowWriter for Values {
    type Error = RowError;

    fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), RowError> {
        self.0.push(value.into().into());
        Ok(())
    }
}
