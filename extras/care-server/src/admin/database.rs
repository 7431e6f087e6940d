//! The database that a task works on, and the only place that opens it.

use std::{num::NonZero, path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use care_core::{
    error::{StoreError, StoreErrorKind},
    model::{Date, UtcOffset},
    service::{CareService, Facility},
    store::{ApiKeys, Journal, Maintenance, MemoryStore, Records},
};
#[cfg(feature = "postgres")]
use care_store_postgres::PostgresStore;
use care_store_sqlite::SqliteStore;
use clap::Args;

use super::AdminError;
#[cfg(feature = "postgres")]
use crate::database::open_postgres;
use crate::{DatabaseAddress, options::utc_offset};

/// Longest wait for a lock. A busy server leaves the database free only for moments, so a tool waits longer than a
/// client does.
const PATIENCE: Duration = Duration::from_secs(60);

/// The database and the clocks of its facility, which every task accepts before or after its name.
#[derive(Debug, Args)]
pub(super) struct Database {
    /// The database: a file, or a postgres:// URL without a password. The password comes from PGPASSWORD or the file
    /// that PGPASSFILE names.
    // The id must differ from the ids of the tasks' own arguments, because clap identifies arguments by it.
    #[arg(id = "database", long, env = "CARE_DATABASE", value_name = "FILE|URL", default_value = "care.db")]
    #[arg(global = true, hide_env_values = true)]
    address: DatabaseAddress,
    /// Offset of the facility's clocks from UTC, which decides which day is "today" and when a day ends.
    #[arg(long, env = "CARE_UTC_OFFSET", value_name = "MINUTES", value_parser = utc_offset, global = true)]
    #[arg(default_value = "0", allow_negative_numbers = true)]
    utc_offset: UtcOffset,
}

/// A store that tasks work on.
#[async_trait]
pub(super) trait Store: Records + Journal + ApiKeys {
    /// Gives the database a new epoch, before entries of another journal are added.
    ///
    /// # Errors
    /// The store's failure.
    async fn renew_epoch(&self) -> Result<(), StoreError>;
}

impl Database {
    /// Opens an existing database.
    pub(super) fn existing(&self) -> Result<Arc<dyn Store>, AdminError> {
        self.existing_within(PATIENCE)
    }

    /// Returns the service of the facility on a store of its database.
    pub(super) fn care(&self, store: &Arc<dyn Store>) -> CareService {
        CareService::new(Arc::clone(store)).with_facility(self.facility())
    }

    /// Returns the day at the facility.
    pub(super) fn today(&self) -> Result<Date, AdminError> {
        let care = CareService::new(MemoryStore::new()).with_facility(self.facility());
        care.today().map_err(|_| AdminError::Clock)
    }

    fn facility(&self) -> Facility {
        Facility { utc_offset: self.utc_offset, ..Facility::default() }
    }

    pub(super) const fn utc_offset(&self) -> UtcOffset {
        self.utc_offset
    }

    /// Opens an existing database, and waits for locks no longer than `patience`.
    pub(super) fn existing_within(&self, patience: Duration) -> Result<Arc<dyn Store>, AdminError> {
        match &self.address {
            DatabaseAddress::File(file) if self.is_absent() => Err(AdminError::Absent(file.clone())),
            _ => self.open(false, patience),
        }
    }

    /// Returns whether the database is a file that does not exist.
    pub(super) fn is_absent(&self) -> bool {
        matches!(&self.address, DatabaseAddress::File(file) if !file.exists())
    }

    /// Opens a database, and creates it if it does not exist.
    pub(super) fn existing_or_new(&self) -> Result<Arc<dyn Store>, AdminError> {
        self.open(true, PATIENCE)
    }

    /// Fills a database, which is made for it if it does not exist. One that was made in vain is removed again.
    pub(super) async fn filled(
        &self,
        fill: impl AsyncFnOnce(&Arc<dyn Store>) -> Result<(), AdminError>,
    ) -> Result<(), AdminError> {
        let is_new = self.is_absent();
        let store = self.existing_or_new()?;
        let filled = fill(&store).await;
        drop(store);
        if let (true, Err(_), DatabaseAddress::File(file)) = (is_new, &filled, &self.address) {
            // One that another process uses by now stays, and the reason of the failure is the one to tell.
            let _ = SqliteStore::remove_empty(file);
        }
        filled
    }

    /// Returns the path of a database in a file.
    pub(super) fn file(&self) -> Result<&Path, AdminError> {
        match &self.address {
            DatabaseAddress::File(file) => Ok(file),
            DatabaseAddress::Postgres(_) => Err(AdminError::NotAFile),
            DatabaseAddress::Misspelt => Err(AdminError::Misspelt),
        }
    }

    #[cfg_attr(not(feature = "postgres"), allow(unused_variables, reason = "a file is made by opening it"))]
    fn open(&self, is_filled: bool, patience: Duration) -> Result<Arc<dyn Store>, AdminError> {
        match &self.address {
            DatabaseAddress::Misspelt => Err(AdminError::Misspelt),
            DatabaseAddress::File(file) => {
                let options = SqliteStore::options().beside(true).readers(NonZero::<usize>::MIN);
                Ok(Arc::new(options.lock_wait(patience).open(file)?))
            }
            #[cfg(feature = "postgres")]
            DatabaseAddress::Postgres(url) => {
                let options = PostgresStore::options().fill(is_filled).readers(NonZero::<usize>::MIN);
                Ok(Arc::new(open_postgres(options.lock_wait(patience), url)?))
            }
            #[cfg(not(feature = "postgres"))]
            DatabaseAddress::Postgres(_) => Err(AdminError::NoPostgres),
        }
    }
}

/// Returns the store's maintenance interface.
pub(super) fn upkeep(store: &dyn Store) -> Result<&dyn Maintenance, AdminError> {
    store.maintenance().ok_or_else(|| StoreError::from(StoreErrorKind::Unsupported).into())
}

#[async_trait]
impl Store for SqliteStore {
    async fn renew_epoch(&self) -> Result<(), StoreError> {
        Self::renew_epoch(self).await
    }
}

#[cfg(feature = "postgres")]
#[async_trait]
impl Store for PostgresStore {
    async fn renew_epoch(&self) -> Result<(), StoreError> {
        Self::renew_epoch(self).await
    }
}
