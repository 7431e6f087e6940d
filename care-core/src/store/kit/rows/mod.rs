//! Records as rows of tables, for stores that have tables: the columns of each kind of record, and the way of each
//! field into a column and back.
//!
//! A store makes its statements from a [`Table`], and implements a [`RowReader`] and a [`RowWriter`] for the cells of
//! its database. Everything else is here: [`RecordKind::read`](crate::store::RecordKind::read) and
//! [`Record::write`](crate::store::Record::write) know the columns of every kind,
//! [`RecordKind::check`](crate::store::RecordKind::check) whether a row is as the service writes it, and [`Facts`] what
//! terms are held against. Two rows are of no records: an [`EntryRow`] of the journal, whose chain reveals changes by
//! hand, and a [`KeyRow`] of the keys, which has a seal of its own.
//!
//! ```
//! use care_core::{
//!     model::PatientId,
//!     store::{
//!         Voided,
//!         rows::{RowError, RowKey, RowWriter, Tabular, Value},
//!     },
//! };
//!
//! /// The cells of a row, as text.
//! struct Line(Vec<String>);
//!
//! impl RowWriter for Line {
//!     type Error = RowError;
//!
//!     fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), RowError> {
//!         self.0.push(format!("{:?}", value.into()));
//!         Ok(())
//!     }
//! }
//!
//! let names: Vec<_> = Voided::TABLE.all().map(|column| column.name).collect();
//! assert_eq!(names, ["version", "patient_id"]);
//!
//! let mut line = Line(Vec::new());
//! Voided { patient_id: PatientId::FIRST }.write(&mut line)?;
//! assert_eq!(line.0, ["Integer(Some(1))"]);
//! assert!(PatientId::FIRST.values().eq([Value::from(1)]));
//! # Ok::<(), RowError>(())
//! ```

mod api_key;
mod cell;
mod cells;
mod check;
mod entry;
mod error;
mod facts;
mod records;
mod row_key;
mod table;

pub use api_key::KeyRow;
pub use cells::{Cell, Field, Group, RowReader, RowWriter, Value};
pub use entry::EntryRow;
pub use error::RowError;
pub use facts::Facts;
pub use row_key::RowKey;
pub use table::{Column, Role, Table, Type};

use crate::store::Entity;

/// A kind of record that a table holds, one a row.
pub trait Tabular: Entity<Id: RowKey> {
    /// The table.
    const TABLE: Table;

    /// Reads the columns after `version`, in the table's order, without the derived ones.
    ///
    /// # Errors
    /// [`RowError::Damaged`], or the store's failure.
    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error>;

    /// Writes the columns after `version`, in the table's order.
    ///
    /// # Errors
    /// [`RowError::TooMany`] and [`RowError::Encode`], or the store's failure.
    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error>;
}
