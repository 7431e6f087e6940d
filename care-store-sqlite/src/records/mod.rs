//! The tables of each kind of record, and the conversion of its fields to columns.

mod cells;
mod consultation;
mod counter;
mod diagnosis;
mod history;
mod invoice;
mod medicine;
mod patient;
mod prescription;
mod reply;
mod row_key;
mod stock;

use care_core::store::{Entity, Filling, Record, Seq, Versioned};
use rusqlite::{CachedStatement, Connection, Params, Row, Rows, types::ValueRef};

pub(crate) use cells::{Cells, Values};
pub(crate) use row_key::RowKey;

use crate::error::Fault;

/// A kind of record with a table.
pub(crate) trait Stored: Entity<Id: RowKey> {
    const TABLE: Table;

    /// Reads the columns after `version`, in the table's order.
    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Fault>;

    /// Writes the values of the columns after `version`, in the table's order.
    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault>;
}

/// The name of a table, and its statements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// The columns of its primary key.
    pub(crate) key: &'static str,
    /// Every column, `version` first.
    pub(crate) columns: &'static [&'static str],
    /// `SELECT` with every column but those that can be derived; a condition follows.
    pub(crate) select: &'static str,
    /// Replaces the row of this key, or adds it.
    pub(crate) put: &'static str,
    /// Replaces the row of this key, if every indexed column keeps its value: SQLite would enter the row again into
    /// each index with a column that is set, with any value.
    pub(crate) update: &'static str,
    /// Removes the row of this key.
    pub(crate) remove: &'static str,
    /// The condition for the row of this key.
    pub(crate) one: &'static str,
    /// The query whether each column of the row of this key has the value that would be put.
    pub(crate) same: &'static str,
}

/// Defines a table's statements from its columns, named once: those of the key, then the others. A word after a column
/// marks an indexed one, another word an indexed one that can be derived.
macro_rules! table {
    (@read $column:literal) => { concat!(", ", $column) };
    (@read $column:literal indexed) => { concat!(", ", $column) };
    (@read $column:literal derived) => { "" };
    (@set $column:literal) => { concat!(", ", $column, " = :", $column) };
    (@set $column:literal $indexed:ident) => { "" };
    (@same $column:literal) => { "" };
    (@same $column:literal $indexed:ident) => { concat!(" AND ", $column, " IS :", $column) };
    ($name:literal, [$key:literal $(, $also:literal)*], [$($column:literal $($kind:ident)?),*]) => {
        $crate::records::Table {
            name: $name,
            key: concat!($key $(, ", ", $also)*),
            columns: &["version", $key, $($also,)* $($column),*],
            select: concat!(
                "SELECT version, ", $key, $(", ", $also,)* $($crate::records::table!(@read $column $($kind)?),)*
                " FROM ", $name
            ),
            one: concat!(
                "SELECT version, ", $key, $(", ", $also,)* $($crate::records::table!(@read $column $($kind)?),)*
                " FROM ", $name, " WHERE ", $key, " = ?", $(" AND ", $also, " = ?",)*
            ),
            put: concat!(
                "INSERT INTO ", $name, " (version, ", $key, $(", ", $also,)* $(", ", $column,)*
                ") VALUES (:version, :", $key, $(", :", $also,)* $(", :", $column,)*
                ") ON CONFLICT (", $key, $(", ", $also,)*
                ") DO UPDATE SET version = excluded.version" $(, ", ", $column, " = excluded.", $column)*
            ),
            update: concat!(
                // This is never read. It numbers the parameters in the order of the columns.
                "WITH unread AS (SELECT :version, :", $key, $(", :", $also,)* $(", :", $column,)*
                ") UPDATE ", $name, " SET version = :version",
                $($crate::records::table!(@set $column $($kind)?),)*
                " WHERE ", $key, " = :", $key, $(" AND ", $also, " = :", $also,)*
                $($crate::records::table!(@same $column $($kind)?),)*
            ),
            same: concat!(
                "SELECT version IS :version, ", $key, " IS :", $key, $(", ", $also, " IS :", $also,)*
                $(", ", $column, " IS :", $column,)* " FROM ", $name,
                " WHERE ", $key, " = :", $key, $(" AND ", $also, " = :", $also,)*
            ),
            remove: concat!("DELETE FROM ", $name, " WHERE ", $key, " = ?", $(" AND ", $also, " = ?",)*),
        }
    };
}
pub(crate) use table;

/// Returns the record with this identifier, if there is one.
pub(crate) fn keyed<E: Stored>(conn: &Connection, id: &E::Id) -> Result<Option<Versioned<Record>>, Fault> {
    let mut statement = conn.prepare_cached(E::TABLE.one)?;
    id.write(&mut Values::new(&mut statement))?;
    let mut rows = statement.raw_query();
    rows.next()?.map(read::<E>).transpose()
}

/// Removes the record with this identifier, if there is one.
pub(crate) fn remove<E: Stored>(conn: &Connection, id: &E::Id) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(E::TABLE.remove)?;
    id.write(&mut Values::new(&mut statement))?;
    statement.raw_execute()?;
    Ok(())
}

/// Returns the record that a statement finds, if there is one.
pub(crate) fn one<E: Stored>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Option<Versioned<Record>>, Fault> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read::<E>).transpose()
}

/// Returns all records that a statement finds.
pub(crate) fn many<E: Stored>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<Versioned<Record>>, Fault> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read::<E>(row)?);
    }
    Ok(found)
}

/// Adds the records that a statement finds, as many as the portion takes. Further rows are not read.
pub(crate) fn fill<E: Stored>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    portion: &mut Filling<Versioned<Record>>,
) -> Result<(), Fault> {
    take::<E>(conn.prepare_cached(sql)?.query(params)?, portion)
}

/// Adds the records of these rows, as many as the portion takes. Further rows are not read.
pub(crate) fn take<E: Stored>(mut rows: Rows<'_>, portion: &mut Filling<Versioned<Record>>) -> Result<(), Fault> {
    while let Some(row) = rows.next()? {
        if !portion.takes(size(row)?) {
            break;
        }
        portion.push(read::<E>(row)?);
    }
    Ok(())
}

/// Returns the number of bytes in the cells of a row; a number counts as eight.
pub(crate) fn size(row: &Row<'_>) -> Result<usize, Fault> {
    let cells = 0..row.as_ref().column_count();
    let sizes = cells.map(|cell| {
        Ok(match row.get_ref(cell)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 8,
        })
    });
    sizes.sum()
}

/// Adds the row of a record, or replaces it, mostly without touching its indexes.
pub(crate) fn put<E: Stored>(conn: &Connection, version: i64, record: &E, is_there: bool) -> Result<(), Fault> {
    let write = |sql| {
        let mut statement = conn.prepare_cached(sql)?;
        bind(&mut statement, version, record)?;
        Ok::<_, Fault>(statement.raw_execute()?)
    };
    if !is_there || write(E::TABLE.update)? == 0 {
        write(E::TABLE.put)?;
    }
    Ok(())
}

/// Binds all columns of a record.
pub(crate) fn bind<E: Stored>(statement: &mut CachedStatement<'_>, version: i64, record: &E) -> Result<(), Fault> {
    let mut values = Values::new(statement);
    values.put(version)?;
    record.write(&mut values)
}

/// Reads a record from a row that starts with its version.
pub(crate) fn read<E: Stored>(row: &Row<'_>) -> Result<Versioned<Record>, Fault> {
    let mut cells = Cells::new(E::TABLE.name, row);
    let version = Seq::new(cells.raw::<i64>()?.cast_unsigned());
    let record = E::read(&mut cells)?.into();
    Ok(Versioned { version, record })
}

#[cfg(test)]
mod tests {
    use care_core::model::{Consultation, Diagnosis, Invoice, Patient, Prescription};

    use super::*;

    #[test]
    fn statements_name_every_column_once() {
        let table = table!("t", ["a", "b"], ["c", "d" indexed, "e" derived]);
        assert_eq!(table.key, "a, b");
        assert_eq!(table.select, "SELECT version, a, b, c, d FROM t");
        assert_eq!(table.one, "SELECT version, a, b, c, d FROM t WHERE a = ? AND b = ?");
        assert_eq!(table.columns, ["version", "a", "b", "c", "d", "e"]);
        assert_eq!(
            table.same,
            "SELECT version IS :version, a IS :a, b IS :b, c IS :c, d IS :d, e IS :e FROM t WHERE a = :a AND b = :b"
        );
        assert_eq!(table.remove, "DELETE FROM t WHERE a = ? AND b = ?");
        assert_eq!(
            table.put,
            "INSERT INTO t (version, a, b, c, d, e) VALUES (:version, :a, :b, :c, :d, :e) ON CONFLICT (a, b) \
             DO UPDATE SET version = excluded.version, c = excluded.c, d = excluded.d, e = excluded.e"
        );
        assert_eq!(
            table.update,
            "WITH unread AS (SELECT :version, :a, :b, :c, :d, :e) UPDATE t SET version = :version, c = :c \
             WHERE a = :a AND b = :b AND d IS :d AND e IS :e"
        );
    }

    /// Returns the steps of a statement.
    fn steps(conn: &Connection, sql: &str) -> Vec<String> {
        let mut statement = conn.prepare(&format!("EXPLAIN {sql}")).unwrap();
        statement.raw_query().mapped(|row| row.get("opcode")).collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn an_update_enters_no_index() {
        let conn = Connection::open_in_memory().unwrap();
        crate::schema::migrate(&conn).unwrap();
        for table in [Patient::TABLE, Consultation::TABLE, Diagnosis::TABLE, Prescription::TABLE, Invoice::TABLE] {
            assert!(!steps(&conn, table.update).contains(&"IdxDelete".to_owned()), "{}", table.name);
        }
        // The statement with the indexes does enter the row again.
        assert!(steps(&conn, Patient::TABLE.put).contains(&"IdxDelete".to_owned()));
    }

    #[test]
    fn a_key_is_never_updated() {
        for table in [Patient::TABLE, Prescription::TABLE] {
            assert!(!table.put.contains(&format!("{0}_id = excluded.{0}_id", table.name)));
        }
    }
}
