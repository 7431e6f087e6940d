//! The rows of records, in SQLite.

use care_core::store::{Filling, Record, RecordKey, RecordKind, Seq, Versioned, sql::Statement};
use rusqlite::{Connection, Params, Row, params_from_iter, types::ValueRef};

use super::{
    cells::{Bound, Cells, Values},
    error::Fault,
    statements::sql,
};

/// The portion into which a list is read.
pub(crate) type Listed = Filling<Versioned<Record>>;

/// Returns the record of a kind with the key that is written, if there is one.
pub(crate) fn identified(
    conn: &Connection,
    kind: RecordKind,
    key: impl FnOnce(&mut Values<'_, '_>) -> Result<(), Fault>,
) -> Result<Option<Versioned<Record>>, Fault> {
    let mut statement = conn.prepare_cached(&sql(kind).one)?;
    key(&mut Values::new(&mut statement))?;
    let mut rows = statement.raw_query();
    rows.next()?.map(|row| read(kind, row)).transpose()
}

/// Returns the record with this key, if there is one.
pub(crate) fn keyed(conn: &Connection, key: &RecordKey) -> Result<Option<Versioned<Record>>, Fault> {
    identified(conn, RecordKind::of(key), |values| key.write(values))
}

/// Removes the record with this key, if there is one.
pub(crate) fn remove(conn: &Connection, key: &RecordKey) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(&sql(RecordKind::of(key)).remove)?;
    key.write(&mut Values::new(&mut statement))?;
    statement.raw_execute()?;
    Ok(())
}

/// Returns the values of a statement.
fn params(statement: &Statement) -> impl Params {
    params_from_iter(statement.values.iter().map(Bound))
}

/// Returns the first record that a statement finds, if there is one.
pub(crate) fn first(
    conn: &Connection,
    kind: RecordKind,
    statement: &Statement,
) -> Result<Option<Versioned<Record>>, Fault> {
    let mut prepared = conn.prepare_cached(&statement.sql)?;
    let mut rows = prepared.query(params(statement))?;
    rows.next()?.map(|row| read(kind, row)).transpose()
}

/// Returns all records that a statement finds.
pub(crate) fn many(
    conn: &Connection,
    kind: RecordKind,
    statement: &Statement,
) -> Result<Vec<Versioned<Record>>, Fault> {
    let mut prepared = conn.prepare_cached(&statement.sql)?;
    let mut rows = prepared.query(params(statement))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(kind, row)?);
    }
    Ok(found)
}

/// Returns the number that a statement yields.
pub(crate) fn number(conn: &Connection, statement: &Statement) -> Result<i64, Fault> {
    Ok(conn.prepare_cached(&statement.sql)?.query_row(params(statement), |row| row.get(0))?)
}

/// Adds the first records that a statement finds, as many as the portion takes.
pub(crate) fn fill(
    conn: &Connection,
    kind: RecordKind,
    statement: Statement,
    portion: &mut Listed,
) -> Result<(), Fault> {
    let statement = statement.limited(portion.wanted());
    fill_from(conn, kind, &statement.sql, params(&statement), portion)
}

/// Adds the records that a statement finds, as many as the portion takes. Further rows are not read.
pub(crate) fn fill_from(
    conn: &Connection,
    kind: RecordKind,
    sql: &str,
    params: impl Params,
    portion: &mut Listed,
) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        // Measuring takes a fifth of the time of reading, and a report reads a hundred thousand rows.
        let bytes = if portion.has_bytes() { size(row)? } else { 0 };
        if !portion.takes(bytes) {
            break;
        }
        portion.push(read(kind, row)?);
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
pub(crate) fn put(conn: &Connection, version: Seq, record: &Record, is_there: bool) -> Result<(), Fault> {
    let statements = sql(RecordKind::of_record(record));
    if is_there {
        for sql in std::iter::once(&statements.update).chain(&statements.moved) {
            if write(conn, sql, version, record)? > 0 {
                return Ok(());
            }
        }
    }
    write(conn, &statements.put, version, record)?;
    Ok(())
}

/// Replaces the row of a record if it is there and no indexed column changes. Returns whether it was replaced.
pub(crate) fn update(conn: &Connection, version: Seq, record: &Record) -> Result<bool, Fault> {
    Ok(write(conn, &sql(RecordKind::of_record(record)).update, version, record)? > 0)
}

fn write(conn: &Connection, sql: &str, version: Seq, record: &Record) -> Result<usize, Fault> {
    let mut statement = conn.prepare_cached(sql)?;
    record.write(version, &mut Values::new(&mut statement))?;
    Ok(statement.raw_execute()?)
}

/// Reads a record from a row that starts with its version.
fn read(kind: RecordKind, row: &Row<'_>) -> Result<Versioned<Record>, Fault> {
    Ok(kind.read(&mut Cells::new(kind.table().name, row))?)
}

#[cfg(test)]
mod tests {
    use RecordKind::{Consultation, Diagnosis, Invoice, Patient, Prescription};

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
        for table in [sql(Patient), sql(Consultation), sql(Diagnosis), sql(Prescription), sql(Invoice)] {
            assert!(!steps(&conn, &table.update).contains(&"IdxDelete".to_owned()), "{}", table.update);
        }
        // The statement with the indexes does enter the row again.
        assert!(steps(&conn, &sql(Patient).put).contains(&"IdxDelete".to_owned()));
    }

    #[test]
    fn a_change_of_state_enters_the_indexes_of_the_state_alone() {
        let conn = Connection::open_in_memory().unwrap();
        crate::file::schema::migrate(&conn).unwrap();
        for (table, entered) in [(sql(Consultation), 1), (sql(Prescription), 4), (sql(Invoice), 5)] {
            let moved = table.moved.as_ref().unwrap();
            assert_eq!(steps(&conn, moved).iter().filter(|step| *step == "IdxDelete").count(), entered, "{moved}");
        }
    }

    #[test]
    fn no_write_fills_a_temporary_table() {
        let conn = Connection::open_in_memory().unwrap();
        crate::file::schema::migrate(&conn).unwrap();
        for table in RecordKind::ALL.iter().map(|kind| sql(*kind)) {
            for sql in [&table.update, &table.put, &table.remove].into_iter().chain(&table.moved) {
                assert!(!steps(&conn, sql).contains(&"OpenEphemeral".to_owned()), "{sql}");
            }
        }
    }

    #[test]
    fn a_key_is_never_updated() {
        for (table, name) in [(sql(Patient), "patient"), (sql(Prescription), "prescription")] {
            assert!(!table.put.contains(&format!("{name}_id = excluded.{name}_id")));
        }
    }
}
