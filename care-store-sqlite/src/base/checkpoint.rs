//! Checkpoints, by SQL: not every rusqlite that the store takes has a function for them.

use rusqlite::{Connection, Error, ffi};

/// A kind of checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checkpoint {
    /// Copies what it can without waiting for others.
    Passive,
    /// Copies everything, and lets the next commit start the log over.
    Restart,
    /// Copies everything, and empties the log.
    Truncate,
}

impl Checkpoint {
    /// Runs the checkpoint, and returns the number of the log's pages that are in the file then.
    ///
    /// # Errors
    /// The code of a busy database when another connection prevents it, and SQLite's errors.
    pub(crate) fn run(self, conn: &Connection) -> rusqlite::Result<u64> {
        let mut checkpoint = conn.prepare_cached(match self {
            Self::Passive => "PRAGMA wal_checkpoint(PASSIVE)",
            Self::Restart => "PRAGMA wal_checkpoint(RESTART)",
            Self::Truncate => "PRAGMA wal_checkpoint(TRUNCATE)",
        })?;
        let (is_busy, copied): (bool, i64) = checkpoint.query_row([], |row| Ok((row.get(0)?, row.get(2)?)))?;
        match is_busy {
            true => Err(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)),
            false => Ok(u64::try_from(copied).unwrap_or(0)),
        }
    }
}
