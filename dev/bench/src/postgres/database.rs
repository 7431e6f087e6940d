//! A PostgreSQL server with a clinic, started for the measurements.

use std::{io, time::Duration};

use care_scratch_postgres::{Cluster, Durability, installations};
use care_store_postgres::PostgresStore;
use care_store_sqlite::SqliteStore;
use care_testkit::processor_time;

use crate::{Clinic, Failure, clinic::replay};

/// The memory is that of a small machine, and no checkpoint happens in a short measurement.
const SETTINGS: [&str; 2] = ["shared_buffers=2GB", "max_wal_size=8GB"];

/// A server with the clinic.
pub(super) struct Database {
    cluster: Cluster,
    /// The address of the clinic.
    pub(super) address: String,
}

impl Database {
    /// Starts a server whose commits are on disk when they are answered, and loads the clinic into it.
    pub(super) fn of(clinic: &Clinic) -> Result<Self, Failure> {
        let installed = installations()?;
        let cluster = Cluster::start(installed.first().ok_or("no initdb found")?, Durability::Full, &SETTINGS)?;
        let address = cluster.address(&cluster.schema()?);
        replay(&SqliteStore::open(&clinic.path)?, &PostgresStore::open(&address)?)?;
        for upkeep in ["VACUUM (ANALYZE)", "CHECKPOINT"] {
            cluster.execute(upkeep)?;
        }
        Ok(Self { cluster, address })
    }

    /// Returns the address of new, empty tables.
    pub(super) fn empty(&self) -> Result<String, Failure> {
        Ok(self.cluster.address(&self.cluster.schema()?))
    }

    /// Returns the processor time of all its processes. The server itself accounts for those that have ended.
    pub(super) fn processor(&self) -> io::Result<Duration> {
        Ok(self.cluster.processes().into_iter().filter_map(|process| processor_time(process).ok()).sum())
    }
}
