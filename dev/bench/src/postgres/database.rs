//! A PostgreSQL server with a clinic, started for the measurements.

use std::time::Duration;

use care_core::store::{Journal, Limit, Seq};
use care_scratch_postgres::{Cluster, Durability, installations};
use care_store_postgres::PostgresStore;
use care_store_sqlite::SqliteStore;
use care_testkit::processor_time;
use futures_executor::block_on;

use crate::{Busy, Failure, clinic::Clinic};

/// The memory is that of a small machine, and no checkpoint happens in a short measurement.
const SETTINGS: [&str; 2] = ["shared_buffers=2GB", "max_wal_size=8GB"];
/// The number of entries that are copied at once.
const PORTION: usize = 20_000;

/// A server with the clinic.
#[derive(Debug)]
pub(super) struct Database {
    cluster: Cluster,
    schema: String,
}

impl Database {
    /// Starts a server whose commits are on disk when they are answered, and loads the clinic into it.
    pub(super) fn of(clinic: &Clinic) -> Result<Self, Failure> {
        let installed = installations()?;
        let cluster = Cluster::start(installed.first().ok_or("no initdb found")?, Durability::Full, &SETTINGS)?;
        let this = Self { schema: cluster.schema()?, cluster };
        copy(clinic, &this.address())?;
        for upkeep in ["VACUUM (ANALYZE)", "CHECKPOINT"] {
            this.cluster.execute(upkeep)?;
        }
        Ok(this)
    }

    /// Returns the address of the clinic.
    pub(super) fn address(&self) -> String {
        self.cluster.address(&self.schema)
    }

    /// Returns the address of new, empty tables.
    pub(super) fn empty(&self) -> Result<String, Failure> {
        Ok(self.cluster.address(&self.cluster.schema()?))
    }
}

impl Busy for Database {
    fn cpu(&self) -> Result<Duration, Failure> {
        // The server itself accounts for the processes that have ended.
        Ok(self.cluster.processes().into_iter().filter_map(|process| processor_time(process).ok()).sum())
    }
}

/// Copies the journal of a clinic, and its records with it.
fn copy(clinic: &Clinic, address: &str) -> Result<(), Failure> {
    let (from, to) = (SqliteStore::open(&clinic.path)?, PostgresStore::open(address)?);
    let mut last = Seq::ZERO;
    loop {
        let entries = block_on(from.journal(last, Limit::items(PORTION)))?.items;
        let Some(entry) = entries.last() else {
            return Ok(());
        };
        last = entry.seq;
        block_on(to.replay(entries)).map_err(|error| format!("not copied: {error}"))?;
    }
}
