//! The rows of each kind of record, in SQLite.

mod cells;
mod statements;

use std::sync::LazyLock;

use care_core::store::{
    Filling, Record, Seq, Versioned, kinds,
    rows::{RowKey, RowReader, RowWriter, Tabular},
};
use rusqlite::{CachedStatement, Connection, Params, Row, Rows, types::ValueRef};

pub(crate) use cells::{Cells, Values};
pub(crate) use statements::Statements;

use super::error::Fault;

/// The portion into which a list is read.
pub(crate) type Listed = Filling<Versioned<Record>>;

/// A kind of record with the statements of its table.
pub(crate) trait Stored: Tabular {
    /// Returns the statements, which are made once.
    fn sql() -> &'static Statements;
}

macro_rules! statements {
    ($($kind:ident)*) => {
        $(impl Stored for kinds::$kind {
            fn sql() -> &'static Statements {
                static STATEMENTS: LazyLock<Statements> = LazyLock::new(|| Statements::of(&kinds::$kind::TABLE));
                &STATEMENTS
            }
        })*
    };
}
care_core::record_kinds!(statements);

/// Returns the record with this identifier, if there is one.
pub(crate) fn keyed<E: Stored>(conn: &Connection, id: &E::Id) -> Result<Option<Versioned<Record>>, Fault> {
    let mut statement = conn.prepare_cached(&E::sql().one)?;
    identify(&mut Values::new(&mut statement), id)?;
    let mut rows = statement.raw_query();
    rows.next()?.map(read::<E>).transpose()
}

/// Removes the record with this identifier, if there is one.
pub(crate) fn remove<E: Stored>(conn: &Connection, id: &E::Id) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(&E::sql().remove)?;
    identify(&mut Values::new(&mut statement), id)?;
    statement.raw_execute()?;
    Ok(())
}

/// Binds the columns of a primary key.
fn identify(values: &mut Values<'_, '_>, id: &impl RowKey) -> Result<(), Fault> {
    id.values().try_for_each(|value| values.put(value))
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
    portion: &mut Listed,
) -> Result<(), Fault> {
    take::<E>(conn.prepare_cached(sql)?.query(params)?, portion)
}

/// Adds the records of these rows, as many as the portion takes. Further rows are not read.
fn take<E: Stored>(mut rows: Rows<'_>, portion: &mut Listed) -> Result<(), Fault> {
    while let Some(row) = rows.next()? {
        // Measuring takes a fifth of the time of reading, and a report reads a hundred thousand rows.
        let bytes = if portion.has_bytes() { size(row)? } else { 0 };
        if !portion.takes(bytes) {
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
    if is_there {
        for sql in std::iter::once(&E::sql().update).chain(&E::sql().moved) {
            if write(conn, sql, version, record)? > 0 {
                return Ok(());
            }
        }
    }
    write(conn, &E::sql().put, version, record)?;
    Ok(())
}

/// Replaces the row of a record if it is there and no indexed column changes. Returns whether it was replaced.
pub(crate) fn update<E: Stored>(conn: &Connection, version: i64, record: &E) -> Result<bool, Fault> {
    Ok(write(conn, &E::sql().update, version, record)? > 0)
}

fn write<E: Stored>(conn: &Connection, sql: &str, version: i64, record: &E) -> Result<usize, Fault> {
    let mut statement = conn.prepare_cached(sql)?;
    bind(&mut statement, version, record)?;
    Ok(statement.raw_execute()?)
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
    let version = Seq::new(cells.get::<i64>()?.cast_unsigned());
    let record = E::read(&mut cells)?.into();
    Ok(Versioned { version, record })
}

#[cfg(test)]
mod tests {
    use care_core::model::{Consultation, Diagnosis, Invoice, Patient, Prescription};

    use super::*;

    /// Returns the steps of a statement.
    fn steps(conn: &Connection, sql: &str) -> Vec<String> {
        let mut statement = conn.prepare(&format!("EXPLAIN {sql}")).unwrap();
        statement.raw_query().mapped(|row| row.get("opcode")).collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn an_update_enters_no_index() {
        let conn = Connection::open_in_memory().unwrap();
        crate::file::schema::migrate(&conn).unwrap();
        for table in [Patient::sql(), Consultation::sql(), Diagnosis::sql(), Prescription::sql(), Invoice::sql()] {
            assert!(!steps(&conn, &table.update).contains(&"IdxDelete".to_owned()), "{}", table.update);
        }
        // The statement with the indexes does enter the row again.
        assert!(steps(&conn, &Patient::sql().put).contains(&"IdxDelete".to_owned()));
    }

    #[test]
    fn a_change_of_state_enters_the_indexes_of_the_state_alone() {
        let conn = Connection::open_in_memory().unwrap();
        crate::file::schema::migrate(&conn).unwrap();
        for (table, entered) in [(Consultation::sql(), 1), (Prescription::sql(), 4), (Invoice::sql(), 5)] {
            let moved = table.moved.as_ref().unwrap();
            assert_eq!(steps(&conn, moved).iter().filter(|step| *step == "IdxDelete").count(), entered, "{moved}");
        }
    }

    #[test]
    fn no_write_fills_a_temporary_table() {
        let conn = Connection::open_in_memory().unwrap();
        crate::file::schema::migrate(&conn).unwrap();
        macro_rules! statements {
            ($($kind:ident)*) => { [$(kinds::$kind::sql()),*] };
        }
        for table in care_core::record_kinds!(statements) {
            for sql in [&table.update, &table.put, &table.remove].into_iter().chain(&table.moved) {
                assert!(!steps(&conn, sql).contains(&"OpenEphemeral".to_owned()), "{sql}");
            }
        }
    }

    #[test]
    fn a_key_is_never_updated() {
        for (table, name) in [(Patient::sql(), "patient"), (Prescription::sql(), "prescription")] {
            assert!(!table.put.contains(&format!("{name}_id = excluded.{name}_id")));
        }
    }
}
