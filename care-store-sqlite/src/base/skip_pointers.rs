//! Skip pointers: entries from which the versions of a record are found again.
//!
//! The journal leads from each version of a record to the one before. Skip pointers stand along that way, about one at
//! every fourth version, so that an old version is found without going all of it, and most writes pay nothing for that.

use care_core::store::{Change, Entry, RecordKey, Seq};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::error::Fault;

/// A row: the kind and the identifier of a record, and the number of an entry, below zero where it removed the record.
pub(crate) type SkipPointer = (&'static str, String, i64);

/// Returns the skip pointers of an entry. They depend on the entry's link, which no client knows before the entry is
/// written, so no client can produce a history without any.
pub(crate) fn of(entry: &Entry) -> impl Iterator<Item = SkipPointer> {
    let seq = entry.seq.value().cast_signed();
    let is_chosen = entry.link.as_bytes()[0] < 64;
    let met = entry.revisions.iter().filter(|revision| revision.replaced != Seq::ZERO);
    met.filter_map(move |revision| {
        let (key, seq) = match &revision.change {
            Change::Put(record) if is_chosen => (record.key(), seq),
            // These may be created again under the same identifier, and no link leads to the versions before.
            Change::Remove(key) if key.has_reusable_id() => (key.clone(), -seq),
            Change::Put(_) | Change::Remove(_) => return None,
        };
        key.has_versions().then(|| (key.kind(), key.id(), seq))
    })
}

/// Notes the skip pointers of an entry that is appended.
pub(crate) fn note(conn: &Connection, skip_pointers: impl Iterator<Item = SkipPointer>) -> Result<(), Fault> {
    for (kind, id, seq) in skip_pointers {
        // An entry may change a record twice.
        conn.prepare_cached("INSERT OR IGNORE INTO skip_pointer (kind, id, seq) VALUES (?, ?, ?)")?
            .execute(params![kind, id, seq])?;
    }
    Ok(())
}

/// Returns the nearest skip pointer of a record that is not before this entry, among those since it was made last.
pub(crate) fn nearest(conn: &Connection, key: &RecordKey, at: Seq) -> Result<Option<Seq>, Fault> {
    let at = i64::try_from(at.value()).unwrap_or(i64::MAX);
    let found: Option<i64> = conn
        .prepare_cached(
            "SELECT seq FROM skip_pointer WHERE kind = ?1 AND id = ?2 AND seq >= ?3 AND seq > ifnull( \
                 (SELECT -seq FROM skip_pointer WHERE kind = ?1 AND id = ?2 AND seq < 0 ORDER BY seq LIMIT 1), 0) \
             ORDER BY seq LIMIT 1",
        )?
        .query_row(params![key.kind(), key.id(), at], |row| row.get(0))
        .optional()?;
    Ok(found.map(|seq| Seq::new(seq.cast_unsigned())))
}
