//! Values as the tables hold them.

use std::time::Duration;

use care_core::{model::Timestamp, store::Seq};
use rusqlite::{Error, Row, RowIndex, types::Type};

/// Returns the error of a column whose value no relay writes.
pub(super) fn spoilt() -> Error {
    Error::InvalidColumnType(0, "a column of the state".to_owned(), Type::Null)
}

pub(super) fn instant<I: RowIndex>(row: &Row<'_>, column: I) -> rusqlite::Result<Option<Timestamp>> {
    let millis: Option<i64> = row.get(column)?;
    millis.map(|millis| Timestamp::from_unix_millis(millis).map_err(|_| spoilt())).transpose()
}

pub(super) fn seq<I: RowIndex>(row: &Row<'_>, column: I) -> rusqlite::Result<Option<Seq>> {
    let number: Option<i64> = row.get(column)?;
    number.map(|number| u64::try_from(number).map(Seq::new).map_err(|_| spoilt())).transpose()
}

pub(super) fn time<I: RowIndex>(row: &Row<'_>, column: I) -> rusqlite::Result<Duration> {
    let millis: i64 = row.get(column)?;
    u64::try_from(millis).map(Duration::from_millis).map_err(|_| spoilt())
}

/// Returns the number of an entry as SQLite holds it. No journal gets as long as what it cannot.
pub(super) fn stored(seq: Seq) -> i64 {
    i64::try_from(seq.value()).unwrap_or(i64::MAX)
}

pub(super) fn stored_time(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
