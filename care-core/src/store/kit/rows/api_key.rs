//! The rows of the keys.

use sha2::{Digest, Sha256};

use super::{RowReader, RowWriter};
use crate::model::{ApiKey, KeyId, SecretDigest, Timestamp};

/// The row of a key. Its columns are `key_id`, `name`, `scopes`, `digest`, `created`, `expires`, `revoked`, `replaces`
/// and `seal`; the three instants are milliseconds since 1970-01-01.
#[derive(Debug)]
pub struct KeyRow {
    key: ApiKey,
    seal: [u8; 32],
}

impl KeyRow {
    /// Reads a row.
    ///
    /// # Errors
    /// [`RowError::Damaged`](super::RowError::Damaged), or the store's failure.
    pub fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let key = ApiKey {
            id: cells.get()?,
            name: cells.get()?,
            scopes: cells.get()?,
            digest: SecretDigest::new(cells.bytes()?),
            created: cells.get()?,
            expires: cells.get()?,
            revoked: cells.get()?,
            replaces: cells.get()?,
        };
        Ok(Self { key, seal: cells.bytes()? })
    }

    /// Writes the row of a key.
    ///
    /// # Errors
    /// The store's failure.
    pub fn write<W: RowWriter>(key: &ApiKey, cells: &mut W) -> Result<(), W::Error> {
        let ApiKey { id, name, scopes, digest, created, expires, revoked, replaces } = key;
        cells.set(id)?;
        cells.set(name)?;
        cells.set(scopes)?;
        cells.put(&digest.as_bytes()[..])?;
        cells.set(created)?;
        cells.set(expires)?;
        cells.set(revoked)?;
        cells.set(replaces)?;
        cells.put(&seal(key)[..])
    }

    /// Returns whether the row is as [`write`](Self::write) wrote it.
    pub fn is_as_written(&self) -> bool {
        self.seal == seal(&self.key)
    }

    /// Returns the key.
    pub fn into_key(self) -> ApiKey {
        self.key
    }
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
