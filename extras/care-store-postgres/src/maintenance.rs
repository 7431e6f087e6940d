//! Maintenance of a whole store.

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError},
    store::{
        Act, CheckError, Decided, Decision, Entry, Limit, Maintenance, Portion, Query, Record, Seq, Transaction,
        Versioned, Work, rows::RowReader,
    },
};
use futures_executor::block_on;

use crate::{
    base::{
        cells::Cells,
        error::Fault,
        settings::{Settings, quoted},
    },
    connect::{session::Request, strangers},
    read::{journal, list::list},
    store::PostgresStore,
    write::bulk::Bulk,
};

/// The tables of a schema that this role may not vacuum, because it owns neither them nor the database.
const NOT_MINE: &str = "SELECT c.relname::text FROM pg_catalog.pg_class AS c \
     JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
     JOIN pg_catalog.pg_database AS d ON d.datname = pg_catalog.current_database() \
     WHERE n.nspname = $1::text AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE'::text) \
     AND NOT pg_catalog.pg_has_role(d.datdba, 'USAGE'::text)";

impl PostgresStore {
    /// Vacuums the tables, so that none of their rows or index entries holds erased, changed or removed data, and
    /// refreshes PostgreSQL's statistics, so that they hold none either. Reads and writes continue meanwhile. After an
    /// interruption, call it again.
    ///
    /// The operator clears the rest. Rows that an open snapshot may still see stay until a later vacuum, and so do the
    /// statistics of a table without rows. Vacuum leaves the bytes in free space until they are overwritten; `VACUUM
    /// FULL` rewrites the tables while nothing else runs. The write-ahead log, its archives and backups hold what they
    /// held until they are removed. Standbys follow the primary.
    ///
    /// # Errors
    /// The store's failures. One of them is that PostgreSQL skips a table that belongs to another role; erased data may
    /// then remain in it.
    pub async fn scrub(&self) -> Result<(), StoreError> {
        Ok(self.vacuum().await?)
    }

    async fn vacuum(&self) -> Result<(), Fault> {
        let schema = quoted(self.pool.schema());
        let tables = strangers::tables().filter(|name| *name != "care");
        // `VACUUM` cannot run in a transaction, so through a pooler it has no search path of its own.
        let tables: Vec<_> = tables.map(|name| format!("{schema}.{name}")).collect();
        // It waits for a vacuum that is already running, and has no time limit.
        let settings = Settings::default().with("statement_timeout", 0).with("lock_timeout", 0);
        let session = self.pool.wire.attempt(&settings).await?;
        // PostgreSQL skips tables that this role may not vacuum, and reports them only in a warning that a setting can
        // hide.
        for row in &session.single(Request::new(NOT_MINE, [self.pool.schema().into()])).await? {
            let name = Cells::new("pg_class", row).get::<String>()?;
            if strangers::tables().any(|table| table == name) {
                return Err(Fault::Unexpected);
            }
        }
        // By default, `VACUUM` may leave a few dead entries in the indexes, which hold names and addresses.
        session.execute(&format!("VACUUM (ANALYZE, INDEX_CLEANUP ON) {}", tables.join(", "))).await
    }
}

#[async_trait]
impl Maintenance for PostgresStore {
    async fn alone(&self, work: Work) -> Result<(), Error> {
        self.bulk(move |bulk| work(bulk)).await
    }

    async fn check(&self) -> Result<(), CheckError> {
        Self::check(self).await
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        Self::scrub(self).await
    }
}

impl Transaction for Bulk<'_> {
    fn decide(&mut self, act: &Act, decision: &mut Decision) -> Result<Option<Seq>, Error> {
        Self::decide(self, act, decision)
    }

    fn decide_each(&mut self, act: &Act, decisions: &mut [Decision]) -> Result<Vec<Decided>, StoreError> {
        Self::decide_each(self, act, decisions)
    }

    fn list(&mut self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.with(|transaction| block_on(list(&mut transaction.snapshot()?, query, limit)))
    }

    fn journal(&mut self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.with(|transaction| block_on(journal::entries(&mut transaction.snapshot()?, after, limit)))
    }

    fn rewrite(&mut self, entry: &Entry) -> Result<(), StoreError> {
        self.with(|transaction| transaction.write([journal::rewrite(entry)?]))
    }

    fn rewrite_record(&mut self, found: &Versioned<Record>) -> Result<(), StoreError> {
        self.with(|transaction| transaction.replace(found.version, found.record.clone()))
    }
}
