//! The rows of the journal.

use care_core::store::{Entry, Epoch, Filling, Limit, Portion, Seq, rows::EntryRow};
use rusqlite::{Connection, Row};

use super::{
    error::Fault,
    records::{Cells, Values, size},
    selection::rows,
    skip_pointers,
};

/// Returns the `seq` of the last entry, 0 when there is none.
pub(crate) fn last(conn: &Connection) -> Result<i64, Fault> {
    let mut statement = conn.prepare_cached("SELECT ifnull(max(seq), 0) FROM journal")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// Appends an entry.
pub(crate) fn append(conn: &Connection, entry: &Entry) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO journal (seq, at, actor, operation, changes, reads, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    let row = EntryRow::of(entry)?;
    let skip_pointers = skip_pointers::of(entry.seq.value().cast_signed(), row.digest(), &entry.revisions);
    row.write(&mut Values::new(&mut statement))?;
    statement.raw_execute()?;
    skip_pointers::note(conn, skip_pointers)
}

/// Replaces the entry with the same number.
pub(crate) fn rewrite(conn: &Connection, entry: &Entry) -> Result<(), Fault> {
    let seq = entry.seq.value().cast_signed();
    conn.prepare_cached("DELETE FROM journal WHERE seq = ?")?.execute([seq])?;
    skip_pointers::forget(conn, seq, entry.changes())?;
    append(conn, entry)
}

/// Returns the first entries after this one, oldest first, as many as the limit allows. No further row is read.
pub(crate) fn entries(conn: &Connection, after: Seq, limit: Limit) -> Result<Portion<Entry>, Fault> {
    // Higher numbers than SQLite's integers do not occur.
    let after = i64::try_from(after.value()).unwrap_or(i64::MAX);
    let mut portion = Filling::new(limit);
    let mut statement = conn.prepare_cached(
        "SELECT seq, at, actor, operation, changes, reads FROM journal WHERE seq > ? ORDER BY seq LIMIT ?",
    )?;
    let mut found = statement.query([after, rows(portion.wanted())])?;
    while let Some(row) = found.next()? {
        if !portion.takes(size(row)?) {
            break;
        }
        portion.push(entry(row)?);
    }
    Ok(portion.finish())
}

pub(crate) fn entry(row: &Row<'_>) -> Result<Entry, Fault> {
    EntryRow::read(&mut Cells::new("journal", row))
}

/// Returns the epoch of a database.
pub(crate) fn epoch(conn: &Connection) -> rusqlite::Result<Epoch> {
    let mut statement = conn.prepare_cached("SELECT epoch FROM epoch")?;
    statement.query_row([], |row| row.get(0)).map(Epoch::new)
}

/// Replaces the epoch, because another past is put into the database.
pub(crate) fn renew_epoch(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute("INSERT OR REPLACE INTO epoch VALUES (1, ?)", [Epoch::random().value()]).map(drop)
}
