//! The database that a task is about.

use std::{num::NonZero, path::Path, time::Duration};

use care_core::{
    error::StoreError,
    store::{Journal, Limit, Seq},
};
use care_store_sqlite::SqliteStore;

use super::AdminError;

/// A busy server leaves the file for moments only, so a tool is more patient than a client.
const PATIENCE: Duration = Duration::from_secs(60);

/// Opens a database that must be there.
pub(super) fn existing(path: &Path) -> Result<SqliteStore, AdminError> {
    if !path.exists() {
        return Err(AdminError::Absent(path.to_owned()));
    }
    existing_or_new(path)
}

/// Opens a database, or makes it.
pub(super) fn existing_or_new(path: &Path) -> Result<SqliteStore, AdminError> {
    let options = SqliteStore::options().beside(true).readers(NonZero::<usize>::MIN).lock_wait(PATIENCE);
    Ok(options.open(path)?)
}

/// The number of the last entry of the journal, found by asking for single entries.
pub(super) async fn last(store: &SqliteStore) -> Result<Seq, StoreError> {
    // There is an entry after `low`, if there is any at all, and none after `high`.
    let (mut low, mut high) = (0, 1);
    while !store.journal(Seq::new(high), Limit::items(1)).await?.items.is_empty() {
        (low, high) = (high, high * 2);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match store.journal(Seq::new(middle), Limit::items(1)).await?.items.is_empty() {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Ok(Seq::new(low))
}
