//! A PostgreSQL server with a clinic, started for the measurements.

use std::time::{Duration, Instant};

use care_core::store::{Journal, Limit, Seq};
use care_scratch_postgres::{Cluster, Durability, installations};
use care_store_postgres::PostgresStore;
use care_store_sqlite::SqliteStore;
use care_testkit::processor_time;
use futures_executor::block_on;

use crate::{Busy, Failure, Report, Table, clinic::Clinic, figure};

/// The memory is that of a small machine, and no checkpoint happens in a short measurement.
const SETTINGS: [&str; 2] = ["shared_buffers=2GB", "max_wal_size=8GB"];
/// The delay that is added to each commit, as with a slower disk or a distant standby.
const SLOWED: Duration = Duration::from_micros(1500);
/// The number of entries that are copied at once.
const PORTION: usize = 20_000;
/// The number of commits that are timed.
const COMMITS: u32 = 50;

/// A server with the clinic in two schemas: one for the service, and one for hand-written servers.
#[derive(Debug)]
pub(super) struct Database {
    cluster: Cluster,
    ours: String,
    theirs: String,
}

impl Database {
    /// Starts a server whose commits are on disk when they are answered, and loads the clinic into it.
    pub(super) fn of(clinic: &Clinic) -> Result<Self, Failure> {
        let installed = installations()?;
        let cluster = Cluster::start(installed.first().ok_or("no initdb found")?, Durability::Full, &SETTINGS)?;
        let (ours, theirs) = (cluster.schema()?, cluster.schema()?);
        let this = Self { cluster, ours, theirs };
        copy(clinic, &this.ours())?;
        this.fill_theirs()?;
        for upkeep in ["VACUUM (ANALYZE)", "CHECKPOINT"] {
            this.cluster.execute(upkeep)?;
        }
        Ok(this)
    }

    /// Creates the same tables with the same indexes, and copies what hand-written servers use.
    fn fill_theirs(&self) -> Result<(), Failure> {
        drop(PostgresStore::open(&self.theirs())?);
        let Self { ours, theirs, .. } = self;
        for table in ["patient", "prescription", "item"] {
            self.cluster.execute(&format!("INSERT INTO {theirs}.{table} SELECT * FROM {ours}.{table}"))?;
        }
        // The sequence starts after all numbers of the clinic.
        Ok(self.cluster.execute(&format!("CREATE SEQUENCE {theirs}.prescription_number START 1000000000000"))?)
    }

    /// Returns the address of the service's tables.
    pub(super) fn ours(&self) -> String {
        self.cluster.address(&self.ours)
    }

    /// Returns the address of the tables of hand-written servers.
    pub(super) fn theirs(&self) -> String {
        self.cluster.address(&self.theirs)
    }

    /// Returns the address of new, empty tables.
    pub(super) fn empty(&self) -> Result<String, Failure> {
        Ok(self.cluster.address(&self.cluster.schema()?))
    }

    /// Measures a commit, and a slowed commit.
    pub(super) fn commits(&self, report: &mut Report) -> Result<(), Failure> {
        self.cluster.execute("CREATE TABLE one_row AS SELECT 0 AS number")?;
        let (plain, slowed) = (self.commit(Duration::ZERO)?, self.commit(SLOWED)?);
        if slowed < SLOWED {
            return Err(format!("a commit that is slowed takes {slowed:?}").into());
        }
        let mut table = Table::new(["a commit", "ms"]);
        table.row(["on disk", &figure(plain.as_secs_f64() * 1e3)]);
        table.row(["the same with `commit_delay=1500`", &figure(slowed.as_secs_f64() * 1e3)]);
        report.add("Commits of PostgreSQL", &table);
        Ok(())
    }

    fn commit(&self, slowed: Duration) -> Result<Duration, Failure> {
        let script = format!(
            "DO $$ BEGIN PERFORM set_config('commit_delay', '{}', false), set_config('commit_siblings', '0', false); \
             FOR i IN 1..{COMMITS} LOOP UPDATE one_row SET number = number + 1; COMMIT; END LOOP; END $$",
            slowed.as_micros()
        );
        let started = Instant::now();
        self.cluster.execute(&script)?;
        Ok(started.elapsed() / COMMITS)
    }
}

/// Returns the address with slowed commits, even for commits without company.
pub(super) fn slowed(address: &str) -> String {
    // The session's options are at the end of the address.
    format!("{address}%20-ccommit_delay%3D{}%20-ccommit_siblings%3D0", SLOWED.as_micros())
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
