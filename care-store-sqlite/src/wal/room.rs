//! Room for a long log.
//!
//! SQLite keeps an index of the log in a file of its own, and extends it when the log needs that. On a full disk this
//! fails, in the worst case after a commit that is on disk already. So the log only becomes as long as the index has
//! room for, and the index is extended in a transaction on which nothing depends.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use crate::{
    base::{connect, error::Fault},
    file::paths::beside,
};

/// The number of bytes by which the index grows at a time.
const BLOCK: u64 = 32 << 10;
/// The number of pages of the log in the first block of the index.
const FIRST: u64 = 4062;
/// The number of pages of the log in every further block.
const FURTHER: u64 = 4096;
/// The number of pages of a log that is long enough, 43 to 48 MiB: starting it over then costs little for each of some
/// ten thousand updates.
const WANTED: u64 = FIRST + 2 * FURTHER;
/// The number of pages of a full batch of small changes. The log is found to be too long only after its commit.
const SPARE: u64 = 1200;
/// A number of pages above that which the cache keeps while it overflows.
const MARGIN: u64 = 64;
/// The size of the cache meanwhile, in pages.
const SMALL: i64 = 8;

/// The longest length of the log.
#[derive(Debug)]
pub(crate) struct Room {
    index: PathBuf,
    pages: u64,
    has_failed: bool,
}

impl Room {
    /// Returns the room of a new index.
    pub(crate) fn new(database: &Path) -> Self {
        Self { index: beside(database, "-shm"), pages: FIRST, has_failed: false }
    }

    /// Returns the number of pages at which the log is as long as it may be.
    pub(crate) const fn end(&self) -> u64 {
        self.pages - SPARE
    }

    /// Returns whether an extension is worth trying.
    pub(crate) const fn may_grow(&self) -> bool {
        self.pages < WANTED && !self.has_failed
    }

    /// Allows a further try: the log is short again, and by the next time the disk may have more room.
    pub(crate) const fn try_again(&mut self) {
        self.has_failed = false;
    }

    /// Extends the index by a block if possible. Call it only between two transactions; `pages` is the length of the
    /// log.
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

    /// Returns the number of pages that the index has room for now. The length of its file is enough: opening it and
    /// closing the handle would drop SQLite's locks.
    fn found(&self) -> u64 {
        let bytes = fs::metadata(&self.index).map_or(0, |index| index.len());
        FIRST + (bytes / BLOCK).saturating_sub(1) * FURTHER
    }
}

/// Lets this number of pages overflow from the cache into the log, and rolls them back.
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
    use crate::file::database;

    #[test]
    fn the_index_grows_block_by_block_and_the_log_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("care.db");
        database::create(&path, Duration::ZERO).unwrap();
        let conn = connect::existing(&path, Duration::ZERO).unwrap();
        connect::for_writing(&conn).unwrap();
        conn.execute("INSERT INTO voided (version, patient_id) VALUES (1, 7)", []).unwrap();
        let mut room = Room::new(&path);
        assert_eq!(room.end(), 2862);
        for end in [6958, 11_054] {
            assert!(room.may_grow());
            // The log is nearly that long, as far as the room knows.
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
        database::create(&path, Duration::ZERO).unwrap();
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
