//! The rows of the journal, of the keys, and of the epoch.

use care_core::{
    model::{ApiKey, Timestamp},
    store::{
        Entry, Epoch, Filling, Head, KeyDecision, KeyPlan, Limit, Portion, Seq, drive_keys,
        rows::{EntryRow, KeyRow, RowReader, RowWriter, Value},
        sql::{self, most},
    },
};
use rusqlite::{Connection, Row, types::ValueRef};

use super::{
    cells::{Cells, Values},
    error::Fault,
    packed,
    records::size,
    signals::Signals,
    skip_pointers,
};

/// Returns the `seq` of the last entry, 0 when there is none.
pub(crate) fn last(conn: &Connection) -> Result<Seq, Fault> {
    let last: i64 = conn.prepare_cached(sql::LAST)?.query_row([], |row| row.get(0))?;
    Ok(Seq::new(last.unsigned_abs()))
}

/// Tells the services of the last entry.
pub(crate) fn announce_last(conn: &Connection, signals: &Signals) {
    match last(conn) {
        Ok(last) => {
            signals.sees(last);
            signals.notifiers.announce(last);
        }
        // The upkeep looks again.
        Err(fault) => tracing::debug!(error = %fault, "the journal could not be read"),
    }
}

/// Returns the time of each of these entries, in their order.
pub(crate) fn instants(conn: &Connection, entries: &[Seq]) -> Result<Vec<Timestamp>, Fault> {
    let mut statement = conn.prepare_cached("SELECT at FROM journal WHERE seq = ?")?;
    let instant = |entry: &Seq| {
        let mut found = statement.query([entry.value().cast_signed()])?;
        let row = found.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        Ok(Cells::new("journal", row).get()?)
    };
    entries.iter().map(instant).collect()
}

/// Returns the head of the journal.
pub(crate) fn head(conn: &Connection) -> Result<Head, Fault> {
    let mut statement = conn.prepare_cached(sql::HEAD)?;
    let mut found = statement.query([])?;
    let Some(row) = found.next()? else {
        return Ok(Head::START);
    };
    Ok(EntryRow::read_head(&mut Cells::new("journal", row))?)
}

/// Appends an entry.
pub(crate) fn append(conn: &Connection, row: EntryRow<'_>) -> Result<(), Fault> {
    let entry = row.entry();
    write(conn, "INSERT", row)?;
    skip_pointers::note(conn, skip_pointers::of(entry))
}

/// Replaces the entry with the same number, which has the same keys and the same link.
pub(crate) fn rewrite(conn: &Connection, entry: &Entry) -> Result<(), Fault> {
    write(conn, "REPLACE", EntryRow::of(entry)?)
}

fn write(conn: &Connection, verb: &str, row: EntryRow<'_>) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(&format!(
        "{verb} INTO journal (seq, at, actor, operation, changes, reads, erased, link) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ))?;
    row.write(&mut Packing(Values::new(&mut statement)))?;
    statement.raw_execute()?;
    Ok(())
}

/// Returns the first entries after this one, oldest first, as many as the limit allows. No further row is read.
pub(crate) fn entries(conn: &Connection, after: Seq, limit: Limit) -> Result<Portion<Entry>, Fault> {
    // Higher numbers than SQLite's integers do not occur.
    let after = i64::try_from(after.value()).unwrap_or(i64::MAX);
    let mut portion = Filling::new(limit);
    let mut statement = conn.prepare_cached(sql::ENTRIES)?;
    let mut found = statement.query([after, most(portion.wanted())])?;
    while let Some(row) = found.next()? {
        if !portion.takes(unpacked_size(row)?) {
            break;
        }
        portion.push(EntryRow::read(&mut Cells::new("journal", row))?);
    }
    Ok(portion.finish())
}

/// Returns the number of bytes in the cells of an entry and in the texts that are packed in them.
fn unpacked_size(row: &Row<'_>) -> Result<usize, Fault> {
    let mut bytes = size(row)?;
    for column in ["changes", "reads", "erased"] {
        if let ValueRef::Blob(packed) = row.get_ref(column)? {
            bytes += packed::len(packed);
        }
    }
    Ok(bytes)
}

/// The values of an entry, whose long texts are packed.
struct Packing<'a, 'c>(Values<'a, 'c>);

impl RowWriter for Packing<'_, '_> {
    type Error = Fault;

    fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), Fault> {
        let value = value.into();
        let packed = match &value {
            Value::Text(Some(text)) => packed::pack(text),
            _ => None,
        };
        self.0.put(packed.map_or(value, |packed| Value::Bytes(Some(packed.into()))))
    }
}

/// Returns the epoch of a database.
pub(crate) fn epoch(conn: &Connection) -> rusqlite::Result<Epoch> {
    let mut statement = conn.prepare_cached("SELECT epoch FROM epoch")?;
    statement.query_row([], |row| row.get(0)).map(Epoch::new)
}

/// Replaces the epoch, because another past is put into the database.
pub(crate) fn renew_epoch(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute("UPDATE epoch SET epoch = ?", [Epoch::random().value()]).map(drop)
}

/// Returns the last entry that was replayed.
pub(crate) fn replayed(conn: &Connection) -> Result<Seq, Fault> {
    let replayed: i64 = conn.prepare_cached("SELECT replayed FROM epoch")?.query_row([], |row| row.get(0))?;
    Ok(Seq::new(replayed.unsigned_abs()))
}

/// Notes the last entry that was replayed.
pub(crate) fn note_replayed(conn: &Connection, last: Seq) -> rusqlite::Result<()> {
    conn.execute("UPDATE epoch SET replayed = ?", [last.value().cast_signed()]).map(drop)
}

/// Returns every key, by id.
pub(crate) fn keys(conn: &Connection) -> Result<Vec<ApiKey>, Fault> {
    let mut statement = conn.prepare_cached(sql::KEYS)?;
    let mut rows = statement.query([])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        keys.push(KeyRow::read(&mut Cells::new("api_key", row))?.into_key());
    }
    Ok(keys)
}

/// Runs a decision about keys, and stores those that it returns.
pub(crate) fn decide_keys(conn: &Connection, decision: &mut KeyDecision) -> Result<KeyPlan, Fault> {
    let plan = drive_keys(decision, &keys(conn)?).map_err(|_| Fault::Panicked)?;
    for key in &plan.keys {
        let mut statement = conn.prepare_cached(sql::PUT_KEY)?;
        KeyRow::write(key, &mut Values::new(&mut statement))?;
        statement.raw_execute()?;
    }
    Ok(plan)
}
