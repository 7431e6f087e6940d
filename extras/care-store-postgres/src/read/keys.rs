//! The rows of the API keys.

use care_core::{
    model::ApiKey,
    store::{
        Act, Decision, KeyDecision, KeyPlan, Seq, drive_keys,
        rows::{KeyRow, RowError, RowReader},
    },
};
use tokio_postgres::Row;

use crate::{
    base::{
        error::Fault,
        records::{Cells, Values},
    },
    connect::session::Request,
};

const TABLE: &str = "api_key";

/// The statements that write keys, and the entry about them.
type KeyWrites = (Vec<Request>, Option<(Act, Decision)>);

/// Every key, sorted by id.
pub(crate) const SELECT: &str =
    "SELECT key_id, name, scopes, digest, created, expires, revoked, replaces, seal FROM api_key ORDER BY key_id";

const PUT: &str = "INSERT INTO api_key (key_id, name, scopes, digest, created, expires, revoked, replaces, seal) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (key_id) DO UPDATE SET name = excluded.name, \
     scopes = excluded.scopes, digest = excluded.digest, created = excluded.created, expires = excluded.expires, \
     revoked = excluded.revoked, replaces = excluded.replaces, seal = excluded.seal";

/// Returns the keys in the rows of [`SELECT`].
pub(crate) fn keys(rows: &[Row]) -> Result<Vec<ApiKey>, Fault> {
    rows.iter().map(|row| Ok(read(row)?.into_key())).collect()
}

/// The last entry that was replayed.
pub(crate) const REPLAYED: &str = "SELECT replayed FROM care";

/// Notes the last entry that was replayed.
pub(crate) const NOTE_REPLAYED: &str = "UPDATE care SET replayed = $1";

/// Returns the number in the row of [`REPLAYED`].
pub(crate) fn replayed(rows: &[Row]) -> Result<Seq, Fault> {
    Ok(Seq::new(Cells::new("care", rows.first().ok_or(Fault::Unexpected)?).get()?))
}

/// Runs a decision on these keys, and returns the statements that write them, and the entry about them.
pub(crate) fn decide(decision: &mut KeyDecision, keys: &[ApiKey]) -> Result<KeyWrites, Fault> {
    let KeyPlan { keys, entry } = drive_keys(decision, keys).map_err(|_| Fault::Panicked)?;
    Ok((keys.iter().map(put).collect::<Result<_, _>>()?, entry))
}

/// Returns the ids of keys that something other than the service has changed.
pub(crate) fn changed(rows: &[Row]) -> Result<Vec<String>, Fault> {
    let mut changed = Vec::new();
    for row in rows {
        match read(row) {
            Ok(row) if row.is_as_written() => {}
            Ok(_) | Err(Fault::Row(RowError::Damaged { .. })) => changed.push(Cells::new(TABLE, row).get::<String>()?),
            Err(fault) => return Err(fault),
        }
    }
    Ok(changed)
}

fn read(row: &Row) -> Result<KeyRow, Fault> {
    KeyRow::read(&mut Cells::new(TABLE, row))
}

fn put(key: &ApiKey) -> Result<Request, Fault> {
    let mut values = Values::default();
    KeyRow::write(key, &mut values)?;
    Ok(Request::new(PUT, values.into_cells()))
}
