//! The journal's rows.

use care_core::{
    model::Timestamp,
    store::{Change, Entry, Filling, Limit, Portion, Seq},
};
use rusqlite::{Connection, Row, params};
use sha2::{Digest, Sha256};

use crate::{
    error::Fault,
    records::{Cells, size},
    selection::rows,
};

/// The `seq` of the last entry, 0 when there is none.
pub(crate) fn last(conn: &Connection) -> Result<i64, Fault> {
    let mut statement = conn.prepare_cached("SELECT ifnull(max(seq), 0) FROM journal")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// Appends an entry.
pub(crate) fn append(
    conn: &Connection,
    seq: i64,
    at: Timestamp,
    (actor, operation): (&str, &str),
    (changes, replaced): (&[Change], &[Seq]),
) -> Result<(), Fault> {
    let changes = serde_json::to_string(changes).map_err(Fault::Encode)?;
    let replaced = serde_json::to_string(replaced).map_err(Fault::Encode)?;
    let at = at.unix_millis();
    let digest = digest(seq, at, [actor, operation, &changes, &replaced]);
    conn.prepare_cached(
        "INSERT INTO journal (seq, at, actor, operation, changes, replaced, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![seq, at, actor, operation, changes, replaced, digest])?;
    Ok(())
}

/// Puts an entry in the place of the one with its number.
pub(crate) fn rewrite(conn: &Connection, entry: &Entry) -> Result<(), Fault> {
    let seq = entry.seq.value().cast_signed();
    conn.prepare_cached("DELETE FROM journal WHERE seq = ?")?.execute([seq])?;
    append(conn, seq, entry.at, (&entry.actor, &entry.operation), (&entry.changes, &entry.replaced))
}

/// What `replaced` holds in the rows of files from before there was such a column.
const NOTHING_NOTED: &str = "[]";

/// What tells whether a row is as it was written.
pub(crate) fn digest(seq: i64, at: i64, texts: [&str; 4]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seq.to_be_bytes());
    hash.update(at.to_be_bytes());
    // The digests of older rows know nothing of what the rows did not have.
    let texts = if texts[3] == NOTHING_NOTED { &texts[..3] } else { &texts[..] };
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}

/// The first entries after this one, oldest first, as many as the limit allows. A row beyond them is not read.
pub(crate) fn entries(conn: &Connection, after: Seq, limit: Limit) -> Result<Portion<Entry>, Fault> {
    // No entry has a number that SQLite cannot hold.
    let after = i64::try_from(after.value()).unwrap_or(i64::MAX);
    let mut portion = Filling::new(limit);
    let mut statement = conn.prepare_cached(
        "SELECT seq, at, actor, operation, changes, replaced FROM journal WHERE seq > ? ORDER BY seq LIMIT ?",
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
    let mut cells = Cells::new("journal", row);
    Ok(Entry {
        seq: Seq::new(cells.raw::<i64>()?.cast_unsigned()),
        at: {
            let millis = cells.raw()?;
            cells.model(Timestamp::from_unix_millis(millis))?
        },
        actor: cells.raw()?,
        operation: cells.raw::<String>()?.into(),
        changes: cells.json()?,
        replaced: cells.json()?,
    })
}
