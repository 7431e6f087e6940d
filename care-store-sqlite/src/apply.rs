//! Writing the changes and the entry of a decision.

use care_core::store::{Change, Entry, Record, RecordKey, Revision, Seq, kinds};
use rusqlite::Connection;

use crate::{
    error::Fault,
    journal,
    records::{put, remove},
};

/// Applies the changes of an entry in their order, and appends it to the journal.
pub(crate) fn apply(conn: &Connection, entry: &Entry) -> Result<(), Fault> {
    let version = entry.seq.value().cast_signed();
    entry.revisions.iter().try_for_each(|Revision { change, replaced }| {
        // The replaced version only makes it faster.
        apply_one(conn, version, change, *replaced != Seq::ZERO)
    })?;
    journal::append(conn, entry)
}

/// Applies one change. `is_there` only makes it faster.
pub(crate) fn apply_one(conn: &Connection, version: i64, change: &Change, is_there: bool) -> Result<(), Fault> {
    macro_rules! by_kind {
        ($($kind:ident)*) => {
            match change {
                $(Change::Put(Record::$kind(record)) => put(conn, version, record, is_there),)*
                $(Change::Remove(RecordKey::$kind(id)) => remove::<kinds::$kind>(conn, id),)*
            }
        };
    }
    care_core::record_kinds!(by_kind)
}
