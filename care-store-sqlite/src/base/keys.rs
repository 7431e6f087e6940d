//! The rows of the keys.

use care_core::{
    model::ApiKey,
    store::{
        KeyDecision, KeyPlan, drive_keys,
        rows::{KeyRow, RowError},
    },
};
use rusqlite::{Connection, Row};

use super::{
    error::Fault,
    records::{Cells, Values},
};

const TABLE: &str = "api_key";
const SELECT: &str =
    "SELECT key_id, name, scopes, digest, created, expires, revoked, replaces, seal FROM api_key ORDER BY key_id";

/// Returns every key, by id.
pub(crate) fn keys(conn: &Connection) -> Result<Vec<ApiKey>, Fault> {
    let mut statement = conn.prepare_cached(SELECT)?;
    let mut rows = statement.query([])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        keys.push(read(row)?.into_key());
    }
    Ok(keys)
}

/// Runs a decision and stores the returned keys.
pub(crate) fn decide(conn: &Connection, decision: &mut KeyDecision) -> Result<KeyPlan, Fault> {
    let plan = drive_keys(decision, &keys(conn)?).map_err(|_| Fault::Panicked)?;
    plan.keys.iter().try_for_each(|key| put(conn, key))?;
    Ok(plan)
}

/// Returns the ids of keys that the service did not write in this form.
pub(crate) fn changed(conn: &Connection) -> Result<Vec<String>, Fault> {
    let mut statement = conn.prepare(SELECT)?;
    let mut rows = statement.query([])?;
    let mut changed = Vec::new();
    while let Some(row) = rows.next()? {
        match read(row) {
            Ok(row) if row.is_as_written() => {}
            Ok(_) | Err(Fault::Row(RowError::Damaged { .. })) => changed.push(row.get(0)?),
            Err(fault) => return Err(fault),
        }
    }
    Ok(changed)
}

fn read(row: &Row<'_>) -> Result<KeyRow, Fault> {
    KeyRow::read(&mut Cells::new(TABLE, row))
}

fn put(conn: &Connection, key: &ApiKey) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(
        "INSERT OR REPLACE INTO api_key (key_id, name, scopes, digest, created, expires, revoked, replaces, seal) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    KeyRow::write(key, &mut Values::new(&mut statement))?;
    statement.raw_execute()?;
    Ok(())
}
