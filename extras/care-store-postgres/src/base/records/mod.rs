//! The rows of each kind of record.

mod cell;
mod cells;
mod statements;

use std::sync::LazyLock;

use care_core::store::{
    INDEXES, Record, RecordKey, RecordKind, Seq, Versioned, kinds,
    rows::{RowError, RowReader, RowWriter, Table, Tabular},
};
use tokio_postgres::Row;

pub(crate) use cell::{Cell, Column};
pub(crate) use cells::{Cells, Values};
pub(crate) use statements::Statements;

use super::error::Fault;

/// A kind of record, with everything needed to read and write its rows without knowing its type.
pub(crate) struct Kind {
    pub(crate) name: RecordKind,
    pub(crate) table: Table,
    pub(crate) sql: Statements,
    /// Whether rows must be written in the order of the changes.
    pub(crate) is_ordered: bool,
    read: fn(&Row) -> Result<Versioned<Record>, Fault>,
    write: fn(&Record, &mut Values) -> Result<(), RowError>,
}

macro_rules! of_all_kinds {
    ($($kind:ident)*) => {
        /// The number of kinds.
        const COUNT: usize = [$(stringify!($kind)),*].len();

        /// The kinds in the order of [`RecordKey`].
        pub(crate) static KINDS: LazyLock<[Kind; COUNT]> =
            LazyLock::new(|| [$(of::<kinds::$kind>(RecordKind::$kind)),*]);
    };
}
care_core::record_kinds!(of_all_kinds);

/// Returns a kind of record.
pub(crate) fn kind(name: RecordKind) -> &'static Kind {
    &KINDS[name as usize]
}

fn of<E: Tabular>(name: RecordKind) -> Kind {
    Kind {
        name,
        table: E::TABLE,
        sql: Statements::of(&E::TABLE),
        // Changes of rows of which no two may agree keep their order.
        is_ordered: INDEXES.iter().any(|index| index.kind == name && index.is_unique),
        read: |row| {
            let mut cells = Cells::new(E::TABLE.name, row);
            let version = Seq::new(cells.get::<i64>()?.cast_unsigned());
            let record = E::read(&mut cells)?.into();
            Ok(Versioned { version, record })
        },
        write: |record, values| match E::from_record(record) {
            Some(record) => record.write(values),
            None => Ok(()),
        },
    }
}

/// Returns the primary key's values, in column order.
pub(crate) fn key_cells(key: &RecordKey) -> Vec<Cell> {
    key.values().into_iter().map(Cell::from).collect()
}

/// Returns the primary key's columns, each with the values of all these keys.
pub(crate) fn key_columns<'a>(keys: impl IntoIterator<Item = &'a RecordKey>) -> Vec<Column> {
    let mut columns = Vec::new();
    for key in keys {
        add(&mut columns, key_cells(key));
    }
    columns
}

/// Appends a row to the columns.
pub(crate) fn add(columns: &mut Vec<Column>, cells: Vec<Cell>) {
    columns.resize_with(cells.len(), Column::default);
    columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
}

impl Kind {
    /// Reads a record from a row whose first column is the version.
    pub(crate) fn read(&self, row: &Row) -> Result<Versioned<Record>, Fault> {
        (self.read)(row)
    }

    /// Returns the cells of a record's row, `version` first.
    pub(crate) fn cells(&self, version: Seq, record: &Record) -> Result<Vec<Cell>, Fault> {
        let mut values = Values::default();
        values.set(&version.value())?;
        (self.write)(record, &mut values)?;
        Ok(values.into_cells())
    }
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kind").field(&self.table.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_name_and_a_table_of_its_own() {
        assert!(KINDS.iter().all(|each| std::ptr::eq(kind(each.name), each)));
        let mut tables: Vec<_> = KINDS.iter().map(|kind| kind.table.name).collect();
        tables.sort_unstable();
        tables.dedup();
        assert_eq!(tables.len(), KINDS.len());
    }
}
