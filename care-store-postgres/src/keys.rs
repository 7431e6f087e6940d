//! The rows of the keys.

use care_core::{
    model::{ApiKey, KeyId, KeyName, SecretDigest, Timestamp},
    store::{KeyDecision, drive_keys},
};
use sha2::{Digest, Sha256};
use tokio_postgres::Row;

use crate::{error::Fault, records::Cells, session::Request};

const TABLE: &str = "api_key";

/// Every key, by id.
pub(crate) const SELECT: &str =
    "SELECT key_id, name, scopes, digest, created, expires, revoked, replaces, seal FROM api_key ORDER BY key_id";

const PUT: &str = "INSERT INTO api_key (key_id, name, scopes, digest, created, expires, revoked, replaces, seal) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (key_id) DO UPDATE SET name = excluded.name, \
     scopes = excluded.scopes, digest = excluded.digest, created = excluded.created, expires = excluded.expires, \
     revoked = excluded.revoked, replaces = excluded.replaces, seal = excluded.seal";

/// Returns the keys in rows of [`SELECT`].
pub(crate) fn keys(rows: &[Row]) -> Result<Vec<ApiKey>, Fault> {
    rows.iter().map(|row| Ok(read(row)?.0)).collect()
}

/// Runs a decision on these keys, and returns the statements that keep what it answers.
pub(crate) fn decide(decision: &mut KeyDecision, keys: &[ApiKey]) -> Result<Vec<Request>, Fault> {
    let kept = drive_keys(decision, keys).map_err(|_| Fault::Panicked)?;
    Ok(kept.iter().map(put).collect())
}

/// Returns the ids of keys that are not as the service wrote them.
pub(crate) fn changed(rows: &[Row]) -> Result<Vec<String>, Fault> {
    let mut changed = Vec::new();
    for row in rows {
        match read(row) {
            Ok((key, kept)) if seal(&key) == kept => {}
            Ok(_) | Err(Fault::Damaged { .. }) => changed.push(Cells::new(TABLE, row).raw()?),
            Err(fault) => return Err(fault),
        }
    }
    Ok(changed)
}

/// Returns a key, and the seal that is on it.
fn read(row: &Row) -> Result<(ApiKey, [u8; 32]), Fault> {
    let mut cells = Cells::new(TABLE, row);
    let id = cells.raw::<String>()?;
    let id = cells.model(KeyId::new(&id))?;
    let name = cells.raw::<String>()?;
    let name = cells.model(KeyName::new(&name))?;
    let scopes = cells.raw::<String>()?.parse().map_err(|_| cells.damaged())?;
    let digest = SecretDigest::new(cells.digest()?);
    let instant = |cells: &mut Cells<'_>| {
        let millis = cells.raw::<Option<i64>>()?;
        cells.model(millis.map(Timestamp::from_unix_millis).transpose())
    };
    let created = instant(&mut cells)?.ok_or_else(|| cells.damaged())?;
    let (expires, revoked) = (instant(&mut cells)?, instant(&mut cells)?);
    let replaces = cells.raw::<Option<String>>()?;
    let replaces = cells.model(replaces.as_deref().map(KeyId::new).transpose())?;
    let seal = cells.digest()?;
    Ok((ApiKey { id, name, scopes, digest, created, expires, revoked, replaces }, seal))
}

fn put(key: &ApiKey) -> Request {
    let ApiKey { id, name, scopes, digest, created, expires, revoked, replaces } = key;
    Request::new(
        PUT,
        [
            id.as_str().into(),
            name.as_str().into(),
            scopes.to_string().into(),
            digest.as_bytes().as_slice().into(),
            created.unix_millis().into(),
            expires.map(Timestamp::unix_millis).into(),
            revoked.map(Timestamp::unix_millis).into(),
            replaces.as_ref().map(KeyId::as_str).into(),
            seal(key).as_slice().into(),
        ],
    )
}

/// Returns the seal that shows whether a row is as it was written.
fn seal(key: &ApiKey) -> [u8; 32] {
    let ApiKey { id, name, scopes, digest, created, expires, revoked, replaces } = key;
    let instant = |at: &Option<Timestamp>| at.map_or_else(String::new, |at| at.unix_millis().to_string());
    let replaces = replaces.as_ref().map_or("", KeyId::as_str);
    let mut hash = Sha256::new();
    hash.update(digest.as_bytes());
    // No other text but the name can hold a line feed, and no name does.
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
