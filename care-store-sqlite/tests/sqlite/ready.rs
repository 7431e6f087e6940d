//! The readiness of a store to take a write.

use care_core::{error::StoreErrorKind, store::Journal};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;
use tempfile::tempdir;

#[test]
fn a_store_with_room_is_ready() {
    let directory = tempdir().unwrap();
    let store = SqliteStore::open(directory.path().join("care.db")).unwrap();
    assert_eq!(block_on(store.ready()).map_err(|error| error.kind()), Ok(()));
}

#[test]
fn a_store_that_is_nearly_as_long_as_it_may_be_is_not_ready() {
    let directory = tempdir().unwrap();
    let store = SqliteStore::options().max_bytes(1 << 20).open(directory.path().join("care.db")).unwrap();
    assert_eq!(block_on(store.ready()).map_err(|error| error.kind()), Err(StoreErrorKind::Full));
}
