//! The rows of the journal.

use care_core::{
    model::Timestamp,
    store::{Entry, Filling, Limit, Portion, Seq},
};
use rusqlite::{Connection, Row, params};
use sha2::{Digest, Sha256};

use crate::{
    error::Fault,
    landmarks,
    records::{Cells, size},
    selection::rows,
};

/// Returns the `seq` of the last entry, 0 when there is none.
pub(crate) fn last(conn: &Connection) -> Result<i64, Fault> {
    let mut statement = conn.prepare_cached("SELECT ifnull(max(seq), 0) FROM journal")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// Appends an entry.
pub(crate) fn append(conn: &Connection, entry: &Entry) -> Result<(), Fault> {
    let Entry { seq, at, actor, operation, revisions, reads } = entry;
    let changes = serde_json::to_string(revisions).map_err(Fault::Encode)?;
    let reads = serde_json::to_string(reads).map_err(Fault::Encode)?;
    let (seq, at) = (seq.value().cast_signed(), at.unix_millis());
    let digest = digest(seq, at, [actor, operation, &changes, &reads]);
    conn.prepare_cached(
        "INSERT INTO journal (seq, at, actor, operation, changes, reads, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![seq, at, actor, operation, changes, reads, digest])?;
    landmarks::note(conn, landmarks::of(seq, &digest, revisions))
}

/// Replaces the entry with the same number.
pub(crate) fn rewrite(conn: &Connection, entry: &Entry) -> Result<(), Fault> {
    let seq = entry.seq.value().cast_signed();
    conn.prepare_cached("DELETE FROM journal WHERE seq = ?")?.execute([seq])?;
    landmarks::forget(conn, seq, entry.changes())?;
    append(conn, entry)
}

/// Returns the digest of a row, which reveals changes by hand.
pub(crate) fn digest(seq: i64, at: i64, texts: [&str; 4]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seq.to_be_bytes());
    hash.update(at.to_be_bytes());
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().into()
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
    let mut cells = Cells::new("journal", row);
    Ok(Entry {
        seq: Seq::new(cells.raw::<i64>()?.cast_unsigned()),
        at: {
            let millis = cells.raw()?;
            cells.model(Timestamp::from_unix_millis(millis))?
        },
        actor: cells.raw()?,
        operation: cells.raw::<String>()?.into(),
        revisions: cells.json()?,
        reads: cells.json()?,
    })
}
