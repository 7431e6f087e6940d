//! The statements of a table, generated from its columns, and the rows that they read and write.

use std::sync::LazyLock;

use care_core::store::{
    INDEXES, Record, RecordKey, RecordKind, Seq, Versioned,
    rows::{Column, RowError, Table, Type},
    sql::{list, names},
};
use tokio_postgres::Row;

use super::cells::{Cell, Cells, Values};

/// The statements of a kind of record.
#[derive(Debug)]
pub(crate) struct Statements {
    /// `SELECT` with every column but the derived ones, to be followed by `WHERE` and the like.
    pub(crate) select: String,
    /// Selects the row with one key.
    pub(crate) one: String,
    /// Selects the rows with many keys; each key column is an array parameter.
    pub(crate) many: String,
    /// Inserts or replaces rows; each column is an array parameter, `version` first.
    pub(crate) put: String,
    /// Deletes the rows with these keys, with the same parameters as `many`.
    pub(crate) remove: String,
    /// The primary key's columns, for `ORDER BY`.
    pub(crate) key: String,
    /// Whether changes of rows keep their order, because no two rows may agree in an index.
    pub(crate) is_ordered: bool,
}

/// Returns the statements of a kind, which are made once.
pub(crate) fn sql(kind: RecordKind) -> &'static Statements {
    static ALL: LazyLock<Vec<Statements>> = LazyLock::new(|| {
        let is_ordered = |kind| INDEXES.iter().any(|index| index.kind == kind && index.is_unique);
        RecordKind::ALL.iter().map(|kind| Statements::of(&kind.table(), is_ordered(*kind))).collect()
    });
    &ALL[kind as usize]
}

impl Statements {
    fn of(table: &Table, is_ordered: bool) -> Self {
        let (name, select, key) = (table.name, table.select(), names(table.key.iter().copied()));
        let asked = match table.key {
            [only] => format!("{} = ANY ($1::{}[])", only.name, spelling(only.ty)),
            several => format!("({key}) IN (SELECT * FROM ROWS FROM ({}))", unnested(several.iter().copied())),
        };
        let (all, rows) = (names(table.all()), unnested(table.all()));
        Self {
            one: format!("{select} WHERE {}", table.has_key()),
            many: format!("{select} WHERE {asked}"),
            put: format!("INSERT INTO {name} ({all}) SELECT * FROM ROWS FROM ({rows}) {}", table.or_replace()),
            remove: format!("DELETE FROM {name} WHERE {asked}"),
            select,
            key,
            is_ordered,
        }
    }
}

/// Returns the name of a type, as PostgreSQL spells it before `[]`.
const fn spelling(ty: Type) -> &'static str {
    match ty {
        Type::Int => "int4",
        Type::BigInt => "int8",
        Type::Bool => "bool",
        Type::Double => "float8",
        Type::Text => "text",
    }
}

/// Returns an `unnest` of one array parameter for each column.
fn unnested(columns: impl Iterator<Item = Column>) -> String {
    let mut number = 0;
    list(columns, ", ", |column| {
        number += 1;
        format!("pg_catalog.unnest(${number}::{}[])", spelling(column.ty))
    })
}

/// Reads a record from a row whose first column is the version.
pub(crate) fn read(kind: RecordKind, row: &Row) -> Result<Versioned<Record>, RowError> {
    kind.read(&mut Cells::new(kind.table().name, row))
}

/// Returns the cells of a record's row, `version` first.
pub(crate) fn cells(version: Seq, record: &Record) -> Result<Vec<Cell>, RowError> {
    let mut values = Values::default();
    record.write(version, &mut values)?;
    Ok(values.0)
}

/// Returns the primary key's values, in column order.
pub(crate) fn key_cells(key: &RecordKey) -> Vec<Cell> {
    key.values().into_iter().map(Cell::from).collect()
}

/// Returns the primary key's columns, each with the values of all these keys.
pub(crate) fn key_columns<'a>(keys: impl IntoIterator<Item = &'a RecordKey>) -> Vec<Vec<Cell>> {
    let mut columns = Vec::new();
    for key in keys {
        add(&mut columns, key_cells(key));
    }
    columns
}

/// Appends a row to the columns.
pub(crate) fn add(columns: &mut Vec<Vec<Cell>>, cells: Vec<Cell>) {
    columns.resize_with(cells.len(), Vec::new);
    columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_every_column_once() {
        const TABLE: Table = Table {
            name: "t",
            key: &[Column::big_int("a"), Column::text("b")],
            columns: &[Column::bool("c"), Column::text("d").derived()],
        };
        const ONLY: Table = Table { name: "t", key: &[Column::big_int("a")], columns: &[] };
        let of = Statements::of(&TABLE, false);
        assert_eq!(of.select, "SELECT version, a, b, c FROM t");
        assert_eq!(of.one, "SELECT version, a, b, c FROM t WHERE a = $1 AND b = $2");
        let asked =
            "(a, b) IN (SELECT * FROM ROWS FROM (pg_catalog.unnest($1::int8[]), pg_catalog.unnest($2::text[])))";
        assert_eq!(of.many, format!("SELECT version, a, b, c FROM t WHERE {asked}"));
        assert_eq!(of.remove, format!("DELETE FROM t WHERE {asked}"));
        assert_eq!(
            of.put,
            "INSERT INTO t (version, a, b, c, d) \
             SELECT * FROM ROWS FROM (pg_catalog.unnest($1::int8[]), pg_catalog.unnest($2::int8[]), \
             pg_catalog.unnest($3::text[]), pg_catalog.unnest($4::bool[]), pg_catalog.unnest($5::text[])) \
             ON CONFLICT (a, b) DO UPDATE SET version = excluded.version, c = excluded.c, d = excluded.d"
        );
        assert_eq!(TABLE.select_whole(), "SELECT version, a, b, c, d FROM t ORDER BY a, b");
        let of = Statements::of(&ONLY, false);
        assert_eq!(of.many, "SELECT version, a FROM t WHERE a = ANY ($1::int8[])");
    }
}
