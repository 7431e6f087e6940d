//! The journal's rows.

use care_core::store::{
    Entry, Filling, Limit, Portion, Seq,
    rows::{EntryRow, RowWriter},
    sql::most,
};
use tokio_postgres::Row;

use crate::{
    base::{
        error::Fault,
        records::{Cells, Column, Values, add},
    },
    connect::{pool::Snapshot, session::Request},
};

/// The number and the link of the last entry, if there is one.
pub(crate) const HEAD: &str = "SELECT seq, link FROM journal ORDER BY seq DESC LIMIT 1";

/// The number of the last entry, or 0 if there is none.
pub(crate) const LAST: &str = "SELECT coalesce(pg_catalog.max(seq), 0) FROM journal";

/// The columns that reading an entry needs.
const READ: &str = "seq, at, actor, operation, changes, reads, erased, link";

/// Every entry.
pub(crate) const WHOLE: &str =
    "SELECT seq, at, actor, operation, changes, reads, erased, link FROM journal ORDER BY seq";

/// Appends entries; each column is an array parameter.
pub(crate) const APPEND: &str = "INSERT INTO journal (seq, at, actor, operation, changes, reads, erased, link, batch) \
     SELECT * FROM ROWS FROM ( \
         pg_catalog.unnest($1::int8[]), pg_catalog.unnest($2::int8[]), pg_catalog.unnest($3::text[]), \
         pg_catalog.unnest($4::text[]), pg_catalog.unnest($5::text[]), pg_catalog.unnest($6::text[]), \
         pg_catalog.unnest($7::text[]), pg_catalog.unnest($8::bytea[]), pg_catalog.unnest($9::int8[]) \
     )";

/// Replaces the entry with this number, and keeps its batch id.
const REWRITE: &str = "UPDATE journal SET at = $2, actor = $3, operation = $4, changes = $5, reads = $6, erased = $7, \
     link = $8 \
     WHERE seq = $1";

/// Entries to append together.
#[derive(Debug, Default)]
pub(crate) struct Appending {
    columns: Vec<Column>,
}

impl Appending {
    pub(crate) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Adds an entry. The first entry of a batch carries the batch's id.
    pub(crate) fn push(&mut self, row: EntryRow<'_>, batch: Option<i64>) -> Result<(), Fault> {
        let mut values = Values::default();
        row.write(&mut values)?;
        values.put(batch)?;
        add(&mut self.columns, values.into_cells());
        Ok(())
    }

    /// Takes out the statement that appends the entries.
    pub(crate) fn take(&mut self) -> Request {
        Request::with_columns(APPEND, std::mem::take(&mut self.columns))
    }
}

/// Returns the statement that replaces the entry with the same number.
pub(crate) fn rewrite(entry: &Entry) -> Result<Request, Fault> {
    let mut values = Values::default();
    EntryRow::of(entry)?.write(&mut values)?;
    Ok(Request::new(REWRITE, values.into_cells()))
}

/// Returns the first entries after this one, oldest first, as many as the limit allows. Rows beyond the limit are not
/// read.
pub(crate) async fn entries(snapshot: &mut Snapshot<'_>, after: Seq, limit: Limit) -> Result<Portion<Entry>, Fault> {
    let mut portion = Filling::new(limit);
    let request = page(after, most(portion.wanted()));
    let mut found = snapshot.stream(&request).await?;
    while let Some(row) = found.next().await? {
        if !portion.takes(row.raw_size_bytes()) {
            break;
        }
        portion.push(entry(&row)?);
    }
    Ok(portion.finish())
}

/// Asks for this many entries after this one.
fn page(after: Seq, limit: i64) -> Request {
    // No entry has a number that PostgreSQL cannot hold.
    let after = i64::try_from(after.value()).unwrap_or(i64::MAX);
    let sql = format!("SELECT {READ} FROM journal WHERE seq > $1 ORDER BY seq LIMIT $2");
    Request::new(sql, [after.into(), limit.into()])
}

/// Asks for the times of these entries; `None` for no entry.
pub(crate) fn instants(entries: &[Seq]) -> Option<Request> {
    let numbers: Column = entries.iter().map(|entry| entry.value().cast_signed().into()).collect();
    let sql = "SELECT seq, at FROM journal WHERE seq = ANY ($1::int8[])";
    (!entries.is_empty()).then(|| Request::with_columns(sql, [numbers]))
}

/// Returns whether a row of [`WHOLE`] is written as the service writes this entry, which was read from it.
pub(crate) fn is_written_so(row: &Row, entry: &Entry) -> Result<bool, Fault> {
    EntryRow::of(entry)?.is_written_so(&mut Cells::new("journal", row))
}

pub(crate) fn entry(row: &Row) -> Result<Entry, Fault> {
    EntryRow::read(&mut Cells::new("journal", row))
}
