//! The rows of the keys.

use care_core::{
    model::{ApiKey, KeyId, KeyName, SecretDigest, Timestamp},
    store::{KeyDecision, drive_keys},
};
use rusqlite::{Connection, Row, params};
use sha2::{Digest, Sha256};

use crate::{error::Fault, records::Cells};

const TABLE: &str = "api_key";
const SELECT: &str =
    "SELECT key_id, name, scopes, digest, created, expires, revoked, replaces, seal FROM api_key ORDER BY key_id";

/// Returns every key, by id.
pub(crate) fn keys(conn: &Connection) -> Result<Vec<ApiKey>, Fault> {
    let mut statement = conn.prepare_cached(SELECT)?;
    let mut rows = statement.query([])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        keys.push(read(row)?.0);
    }
    Ok(keys)
}

/// Runs a decision and stores the returned keys. Returns whether there were any.
pub(crate) fn decide(conn: &Connection, decision: &mut KeyDecision) -> Result<bool, Fault> {
    let kept = drive_keys(decision, &keys(conn)?).map_err(|_| Fault::Panicked)?;
    for key in &kept {
        put(conn, key)?;
    }
    Ok(!kept.is_empty())
}

/// Returns the ids of keys that the service did not write in this form.
pub(crate) fn changed(conn: &Connection) -> Result<Vec<String>, Fault> {
    let mut statement = conn.prepare(SELECT)?;
    let mut rows = statement.query([])?;
    let mut changed = Vec::new();
    while let Some(row) = rows.next()? {
        match read(row) {
            Ok((key, kept)) if seal(&key) == kept => {}
            Ok(_) | Err(Fault::Damaged { .. }) => changed.push(row.get(0)?),
            Err(fault) => return Err(fault),
        }
    }
    Ok(changed)
}

/// Returns a key and its seal.
fn read(row: &Row<'_>) -> Result<(ApiKey, [u8; 32]), Fault> {
    let mut cells = Cells::new(TABLE, row);
    let id = cells.raw::<String>()?;
    let id = cells.model(KeyId::new(&id))?;
    let name = cells.raw::<String>()?;
    let name = cells.model(KeyName::new(&name))?;
    let scopes = cells.raw::<String>()?.parse().map_err(|_| cells.damaged())?;
    let digest = SecretDigest::new(cells.raw()?);
    let instant = |cells: &mut Cells<'_, '_>| {
        let millis = cells.raw::<Option<i64>>()?;
        cells.model(millis.map(Timestamp::from_unix_millis).transpose())
    };
    let created = instant(&mut cells)?.ok_or_else(|| cells.damaged())?;
    let (expires, revoked) = (instant(&mut cells)?, instant(&mut cells)?);
    let replaces = cells.raw::<Option<String>>()?;
    let replaces = cells.model(replaces.as_deref().map(KeyId::new).transpose())?;
    let seal = cells.raw()?;
    Ok((ApiKey { id, name, scopes, digest, created, expires, revoked, replaces }, seal))
}

fn put(conn: &Connection, key: &ApiKey) -> Result<(), Fault> {
    let ApiKey { id, name, scopes, digest, created, expires, revoked, replaces } = key;
    conn.prepare_cached(
        "INSERT OR REPLACE INTO api_key (key_id, name, scopes, digest, created, expires, revoked, replaces, seal) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        id.as_str(),
        name.as_str(),
        scopes.to_string(),
        digest.as_bytes(),
        created.unix_millis(),
        expires.map(Timestamp::unix_millis),
        revoked.map(Timestamp::unix_millis),
        replaces.as_ref().map(KeyId::as_str),
        seal(key),
    ])?;
    Ok(())
}

/// Returns the digest of a key, which reveals changes by hand.
fn seal(key: &ApiKey) -> [u8; 32] {
    let ApiKey { id, name, scopes, digest, created, expires, revoked, replaces } = key;
    let instant = |at: &Option<Timestamp>| at.map_or_else(String::new, |at| at.unix_millis().to_string());
    let replaces = replaces.as_ref().map_or("", KeyId::as_str);
    let mut hash = Sha256::new();
    hash.update(digest.as_bytes());
    // Only the name could contain a line feed, and no valid name does.
    for text in [
        id.as_str(),
        name.as_str(),
        &scopes.to_string(),
        &instant(&Some(*created)),
        &instant(expires),
        &instant(revoked),
        replaces,
    ] {
        hash.update(text);
        hash.update("\n");
    }
    hash.finalize().into()
}
