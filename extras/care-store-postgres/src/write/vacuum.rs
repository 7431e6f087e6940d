//! Vacuuming.

use care_core::store::rows::RowReader;

use crate::{
    base::{
        cells::Cells,
        error::Fault,
        settings::{Settings, quoted},
    },
    connect::{pool::Pool, session::Request, strangers},
};

/// The tables of a schema that this role may not vacuum, because it owns neither them nor the database.
const NOT_MINE: &str = "SELECT c.relname::text FROM pg_catalog.pg_class AS c \
     JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
     JOIN pg_catalog.pg_database AS d ON d.datname = pg_catalog.current_database() \
     WHERE n.nspname = $1::text AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE'::text) \
     AND NOT pg_catalog.pg_has_role(d.datdba, 'USAGE'::text)";

/// Vacuums the tables and their statistics.
pub(crate) async fn vacuum(pool: &Pool) -> Result<(), Fault> {
    let schema = quoted(pool.schema());
    let tables = strangers::tables().filter(|name| *name != "care");
    // `VACUUM` cannot run in a transaction, so through a pooler it has no search path of its own.
    let tables: Vec<_> = tables.map(|name| format!("{schema}.{name}")).collect();
    // It waits for a vacuum that is already running, and has no time limit.
    let settings = Settings::default().with("statement_timeout", 0).with("lock_timeout", 0);
    let session = pool.wire.attempt(&settings).await?;
    // PostgreSQL skips tables that this role may not vacuum, and reports them only in a warning that a setting can
    // hide.
    for row in &session.single(Request::new(NOT_MINE, [pool.schema().into()])).await? {
        let name = Cells::new("pg_class", row).get::<String>()?;
        if strangers::tables().any(|table| table == name) {
            return Err(Fault::Unexpected);
        }
    }
    // By default, `VACUUM` may leave a few dead entries in the indexes, which hold names and addresses.
    session.execute(&format!("VACUUM (ANALYZE, INDEX_CLEANUP ON) {}", tables.join(", "))).await
}
