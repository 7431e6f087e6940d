//! The database of a task.

use std::{num::NonZero, path::Path, time::Duration};

use care_core::{
    error::StoreError,
    store::{Journal, Limit, Seq},
};
use care_store_sqlite::SqliteStore;

use super::AdminError;

/// The longest wait for a lock. A busy server leaves the file for moments only, so a tool waits longer than a client.
const PATIENCE: Duration = Duration::from_secs(60);

/// Opens a database that exists.
pub(super) fn existing(path: &Path) -> Result<SqliteStore, AdminError> {
    if !path.exists() {
        return Err(AdminError::Absent(path.to_owned()));
    }
    existing_or_new(path)
}

/// Opens a database, which is created when it does not exist.
pub(super) fn existing_or_new(path: &Path) -> Result<SqliteStore, AdminError> {
    let options = SqliteStore::options().beside(true).readers(NonZero::<usize>::MIN).lock_wait(PATIENCE);
    Ok(options.open(path)?)
}

/// Returns the number of the last entry of the journal, found by reading single entries.
pub(super) async fn last(store: &SqliteStore) -> Result<Seq, StoreError> {
    // An entry follows `low`, if there is any, and none follows `high`.
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
