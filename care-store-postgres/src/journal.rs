//! The journal's rows.

use care_core::{
    model::Timestamp,
    store::{Entry, Filling, Limit, Portion, Seq},
};
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};
use tokio_postgres::Row;

use crate::{
    error::Fault,
    pool::Snapshot,
    records::{Cell, Cells, Column, add},
    selection::rows,
    session::Request,
};

/// The number of the last entry, 0 when there is none.
pub(crate) const LAST: &str = "SELECT coalesce(max(seq), 0) FROM journal";

/// The columns of an entry that are read.
const READ: &str = "seq, at, actor, operation, changes, reads";

/// Every entry with what tells whether it is as it was written.
pub(crate) const WHOLE: &str = "SELECT seq, at, actor, operation, changes, reads, digest FROM journal ORDER BY seq";

/// Appends the entries whose columns come as arrays.
const APPEND: &str = "INSERT INTO journal (seq, at, actor, operation, changes, reads, digest, batch) \
     SELECT * FROM unnest($1::int8[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[], \
     $8::int8[])";

/// Entries that are to be appended together.
#[derive(Debug, Default)]
pub(crate) struct Appending {
    columns: Vec<Column>,
}

impl Appending {
    pub(crate) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Adds an entry. The first of a batch carries what tells the batch from others.
    pub(crate) fn push(&mut self, entry: &Entry, batch: Option<i64>) -> Result<(), Fault> {
        let mut cells = cells(entry)?;
        cells.push(batch.into());
        add(&mut self.columns, cells);
        Ok(())
    }

    /// Returns the statement that appends them.
    pub(crate) fn take(&mut self) -> Request {
        Request::with_columns(APPEND, std::mem::take(&mut self.columns))
    }
}

/// Returns the cells of an entry's row, without the batch.
fn cells(entry: &Entry) -> Result<Vec<Cell>, Fault> {
    let seq = i64::try_from(entry.seq.value()).map_err(|_| Fault::TooMany)?;
    let at = entry.at.unix_millis();
    let changes = serde_json::to_string(&entry.revisions).map_err(Fault::Encode)?;
    let reads = serde_json::to_string(&entry.reads).map_err(Fault::Encode)?;
    let digest = digest(seq, at, [&entry.actor, &entry.operation, &changes, &reads]);
    Ok(vec![
        seq.into(),
        at.into(),
        entry.actor.as_str().into(),
        (&*entry.operation).into(),
        changes.into(),
        reads.into(),
        digest.as_slice().into(),
    ])
}

/// Returns the digest that shows whether a row is as it was written.
fn digest(seq: i64, at: i64, texts: [&str; 4]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seq.to_be_bytes());
    hash.update(at.to_be_bytes());
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}

/// Returns the first entries after this one, oldest first, as many as the limit allows. A row beyond them is not read.
pub(crate) async fn entries(snapshot: &mut Snapshot, after: Seq, limit: Limit) -> Result<Portion<Entry>, Fault> {
    let mut portion = Filling::new(limit);
    let request = page(after, rows(portion.wanted()));
    let mut found = std::pin::pin!(snapshot.stream(&request).await?);
    while let Some(row) = found.try_next().await? {
        if !portion.takes(row.raw_size_bytes()) {
            break;
        }
        portion.push(entry(&row)?);
    }
    Ok(portion.finish())
}

/// Asks for this number of entries after this one.
fn page(after: Seq, limit: i64) -> Request {
    // No entry has a number that PostgreSQL cannot hold.
    let after = i64::try_from(after.value()).unwrap_or(i64::MAX);
    let sql = format!("SELECT {READ} FROM journal WHERE seq > $1 ORDER BY seq LIMIT $2");
    Request::new(sql, [after.into(), limit.into()])
}

/// Returns whether a row of [`WHOLE`] is as it was written.
pub(crate) fn is_as_written(row: &Row) -> Result<bool, Fault> {
    let mut cells = Cells::new("journal", row);
    let (seq, at): (i64, i64) = (cells.raw()?, cells.raw()?);
    let texts: [String; 4] = [cells.raw()?, cells.raw()?, cells.raw()?, cells.raw()?];
    Ok(cells.digest()? == digest(seq, at, texts.each_ref().map(String::as_str)))
}

pub(crate) fn entry(row: &Row) -> Result<Entry, Fault> {
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
