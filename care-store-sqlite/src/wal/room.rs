//! Room for a long log.
//!
//! SQLite keeps an index of the log in a file of its own, and makes that longer when the log needs it. On a full disk this
//! fails, at worst behind a commit that is on disk already. So the log only becomes as long as the index has room for,
//! and the index is made longer in a transaction that nobody depends on.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use crate::{connect, error::Fault, paths::beside};

/// The index grows by so many bytes at a time,
const BLOCK: u64 = 32 << 10;
/// the first of which hold so many pages of the log,
const FIRST: u64 = 4062;
/// and all others so many.
const FURTHER: u64 = 4096;
/// A log of 43 to 48 MiB is long enough: what it costs to start it over is spread over some ten thousand updates.
const WANTED: u64 = FIRST + 2 * FURTHER;
/// The log is found to be too long once a commit is through. A full batch of small changes takes so many pages.
const SPARE: u64 = 1200;
/// More than are kept in the cache while it overflows.
const MARGIN: u64 = 64;
/// So small is the cache then.
const SMALL: i64 = 8;

/// How long the log may become.
#[derive(Debug)]
pub(crate) struct Room {
    index: PathBuf,
    pages: u64,
    has_failed: bool,
}

impl Room {
    /// What every index has from the beginning.
    pub(crate) fn new(database: &Path) -> Self {
        Self { index: beside(database, "-shm"), pages: FIRST, has_failed: false }
    }

    /// At so many pages the log is as long as it may be.
    pub(crate) const fn end(&self) -> u64 {
        self.pages - SPARE
    }

    /// Whether it is worth trying to make more.
    pub(crate) const fn may_grow(&self) -> bool {
        self.pages < WANTED && !self.has_failed
    }

    /// The log is short again, and perhaps the disk has more room by the next time.
    pub(crate) const fn try_again(&mut self) {
        self.has_failed = false;
    }

    /// Makes room for another block if it can. Between two transactions only; `pages` is how long the log is.
    pub(crate) fn grow(&mut self, conn: &Connection, pages: u64) -> bool {
        let before = self.pages;
        if self.found() == before
            && let Err(fault) = fill(conn, before.saturating_sub(pages) + MARGIN)
        {
            tracing::debug!(error = ?fault, "the log cannot become longer");
        }
        self.pages = self.found().clamp(before, WANTED);
        self.has_failed = self.pages == before;
        !self.has_failed
    }

    /// How many pages the index has room for now. Its length tells, without opening it: closing a handle of it would drop
    /// SQLite's locks.
    fn found(&self) -> u64 {
        let bytes = fs::metadata(&self.index).map_or(0, |index| index.len());
        FIRST + (bytes / BLOCK).saturating_sub(1) * FURTHER
    }
}

/// Lets so many pages overflow from the cache into the log, and takes them back.
fn fill(conn: &Connection, pages: u64) -> Result<(), Fault> {
    let bytes = pages * u64::from(connect::PAGE_SIZE);
    conn.pragma_update(None, "cache_size", SMALL)?;
    let filled = conn.execute_batch(&format!(
        "BEGIN IMMEDIATE; CREATE TABLE overflow (bytes BLOB); INSERT INTO overflow VALUES (zeroblob({bytes}));"
    ));
    let undone = match conn.is_autocommit() {
        true => Ok(()),
        false => conn.execute_batch("ROLLBACK"),
    };
    conn.pragma_update(None, "cache_size", connect::CACHE)?;
    Ok(filled.and(undone)?)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::file;

    #[test]
    fn the_index_grows_block_by_block_and_the_log_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("care.db");
        file::create(&path, Duration::ZERO).unwrap();
        let conn = connect::existing(&path, Duration::ZERO).unwrap();
        connect::for_writing(&conn).unwrap();
        conn.execute("INSERT INTO voided (version, patient_id) VALUES (1, 7)", []).unwrap();
        let mut room = Room::new(&path);
        assert_eq!(room.end(), 2862);
        for end in [6958, 11_054] {
            assert!(room.may_grow());
            // Nearly as long as that, as far as the room knows.
            assert!(room.grow(&conn, 1) && room.end() == end, "{room:?}");
        }
        assert!(!room.may_grow());
        let rows = |table| conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0));
        assert_eq!(rows("voided").unwrap(), 1);
        assert!(rows("overflow").is_err());
        let logged = conn.pragma_query_value(None, "wal_checkpoint", |row| row.get::<_, i64>(1)).unwrap();
        assert!(logged < 100, "{logged} pages in the log");
    }

    #[test]
    fn without_room_on_the_disk_it_stays_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("care.db");
        file::create(&path, Duration::ZERO).unwrap();
        let conn = connect::existing(&path, Duration::ZERO).unwrap();
        connect::for_writing(&conn).unwrap();
        conn.pragma_update(None, "max_page_count", 1).unwrap();
        let mut room = Room::new(&path);
        assert!(!room.grow(&conn, 3900) && !room.may_grow());
        assert_eq!(room.end(), 2862);
        assert!(conn.is_autocommit());
        room.try_again();
        assert!(room.may_grow());
    }
}
