//! The row of the epoch.

use care_core::store::Epoch;
use rusqlite::Connection;

/// Returns the epoch of a database.
pub(crate) fn read(conn: &Connection) -> rusqlite::Result<Epoch> {
    let mut statement = conn.prepare_cached("SELECT epoch FROM epoch")?;
    statement.query_row([], |row| row.get(0)).map(Epoch::new)
}

/// Replaces the epoch, because another past is put into the database.
pub(crate) fn renew(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute("INSERT OR REPLACE INTO epoch VALUES (1, ?)", [Epoch::random().value()]).map(drop)
}
