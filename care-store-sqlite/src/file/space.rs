//! The room in which a database can grow.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::base::connect::PAGE_SIZE;

/// The least room of a store that is ready: the log of a busy second may need it.
pub(crate) const LEAST: u64 = 8 << 20;

/// The bounds of a database's file: its disk, and the limit in its options.
#[derive(Debug)]
pub(crate) struct Space {
    folder: PathBuf,
    max_bytes: Option<u64>,
}

impl Space {
    /// Makes the bounds of the database at this path.
    pub(crate) fn new(database: &Path, max_bytes: Option<u64>) -> Self {
        Self { folder: database.parent().unwrap_or(database).to_owned(), max_bytes }
    }

    /// Returns the number of bytes that can still be written. Free pages of the file count under a limit of the
    /// options.
    pub(crate) fn left(&self, conn: &Connection) -> rusqlite::Result<u64> {
        let on_disk = on_disk(&self.folder).unwrap_or(u64::MAX);
        let Some(max) = self.max_bytes else {
            return Ok(on_disk);
        };
        let pages = |pragma| conn.pragma_query_value(None, pragma, |row| row.get::<_, u32>(0)).map(u64::from);
        let used = pages("page_count")?.saturating_sub(pages("freelist_count")?) * u64::from(PAGE_SIZE);
        Ok(on_disk.min(max.saturating_sub(used)))
    }
}

/// Returns the free bytes of a disk for this process; `None` when the system does not report them.
#[cfg(unix)]
fn on_disk(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn on_disk(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{base::connect, file::database};

    #[test]
    fn the_room_under_a_limit_is_what_the_file_has_not_used() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("care.db");
        database::create(&path, Duration::ZERO).unwrap();
        let conn = connect::existing(&path, Duration::ZERO).unwrap();
        let used = std::fs::metadata(&path).unwrap().len();
        assert_eq!(Space::new(&path, Some(used + 12_288)).left(&conn).unwrap(), 12_288);
        assert_eq!(Space::new(&path, Some(0)).left(&conn).unwrap(), 0);
        assert!(Space::new(&path, None).left(&conn).unwrap() > 0);
    }
}
