//! The rows of the journal, and of the API keys.

use std::collections::HashMap;

use care_core::{
    model::{ApiKey, Timestamp},
    store::{
        Act, Decision, Entry, Filling, Head, KeyDecision, KeyPlan, Limit, Portion, Seq, drive_keys,
        rows::{EntryRow, KeyRow, RowReader, RowWriter},
        sql::{self, most},
    },
};
use tokio_postgres::Row;

use crate::{
    base::{
        cells::{Cell, Cells, Values},
        error::Fault,
        statements::add,
    },
    connect::{pool::Snapshot, session::Request},
};

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
    columns: Vec<Vec<Cell>>,
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
        add(&mut self.columns, values.0);
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
    Ok(Request::new(REWRITE, values.0))
}

/// Returns the first entries after this one, oldest first, as many as the limit allows. Rows beyond the limit are not
/// read.
pub(crate) async fn entries(snapshot: &mut Snapshot<'_>, after: Seq, limit: Limit) -> Result<Portion<Entry>, Fault> {
    let mut portion = Filling::new(limit);
    // No entry has a number that PostgreSQL cannot hold.
    let after = i64::try_from(after.value()).unwrap_or(i64::MAX);
    let request = Request::new(sql::ENTRIES, [after.into(), most(portion.wanted()).into()]);
    let mut found = snapshot.stream(&request).await?;
    while let Some(row) = found.next().await? {
        if !portion.takes(row.raw_size_bytes()) {
            break;
        }
        portion.push(EntryRow::read(&mut Cells::new("journal", &row))?);
    }
    Ok(portion.finish())
}

/// Asks for the times of these entries; `None` for no entry.
pub(crate) fn instants(entries: &[Seq]) -> Option<Request> {
    let numbers: Vec<Cell> = entries.iter().map(|entry| entry.value().cast_signed().into()).collect();
    let sql = "SELECT seq, at FROM journal WHERE seq = ANY ($1::int8[])";
    (!entries.is_empty()).then(|| Request::with_columns(sql, [numbers]))
}

/// Returns the time of each of these entries, in their order, from the rows of [`instants`].
pub(crate) fn instants_of(entries: &[Seq], rows: &[Row]) -> Result<Vec<Timestamp>, Fault> {
    let times = rows.iter().map(|row| {
        let mut cells = Cells::new("journal", row);
        Ok((Seq::new(cells.get::<u64>()?), cells.get::<Timestamp>()?))
    });
    let times: HashMap<_, _> = times.collect::<Result<_, Fault>>()?;
    entries.iter().map(|entry| times.get(entry).copied().ok_or(Fault::Unexpected)).collect()
}

/// Returns the number of an entry in the row of [`sql::LAST`] or [`REPLAYED`].
pub(crate) fn seq(rows: &[Row]) -> Result<Seq, Fault> {
    Ok(Seq::new(Cells::first("journal", rows)?.get::<u64>()?))
}

/// Returns the head in the row of [`sql::HEAD`].
pub(crate) fn head(rows: &[Row]) -> Result<Head, Fault> {
    match rows.first() {
        Some(row) => Ok(EntryRow::read_head(&mut Cells::new("journal", row))?),
        None => Ok(Head::START),
    }
}

/// The last entry that was replayed.
pub(crate) const REPLAYED: &str = "SELECT replayed FROM care";

/// Notes the last entry that was replayed.
pub(crate) const NOTE_REPLAYED: &str = "UPDATE care SET replayed = $1";

/// The statements that write keys, and the entry about them.
type KeyWrites = (Vec<Request>, Option<(Act, Decision)>);

/// Returns the keys in the rows of [`sql::KEYS`].
pub(crate) fn keys(rows: &[Row]) -> Result<Vec<ApiKey>, Fault> {
    rows.iter().map(|row| Ok(KeyRow::read(&mut Cells::new("api_key", row))?.into_key())).collect()
}

/// Runs a decision on these keys, and returns the statements that write them, and the entry about them.
pub(crate) fn decide_keys(decision: &mut KeyDecision, keys: &[ApiKey]) -> Result<KeyWrites, Fault> {
    let KeyPlan { keys, entry } = drive_keys(decision, keys).map_err(|_| Fault::Panicked)?;
    let put = |key| {
        let mut values = Values::default();
        KeyRow::write(key, &mut values)?;
        Ok(Request::new(sql::PUT_KEY, values.0))
    };
    Ok((keys.iter().map(put).collect::<Result<_, Fault>>()?, entry))
}
