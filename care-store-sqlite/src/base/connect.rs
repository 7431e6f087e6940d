//! Connections with the settings on which the store relies.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{
    Connection, ErrorCode, OpenFlags,
    config::DbConfig::{SQLITE_DBCONFIG_ENABLE_QPSG, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE},
    ffi::{SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ},
    types::FromSql,
};

/// The size of a page in bytes.
pub(crate) const PAGE_SIZE: u32 = 4096;

/// The size of a connection's cache in KiB; SQLite takes KiB as a negative number.
pub(crate) const CACHE: i64 = -8192;

/// The longest time in which another process begins to use the same copy.
const MOMENT: Duration = Duration::from_secs(1);

/// The lowest version of SQLite: before it, two connections that reset the log at once could lose a commit.
const OLDEST: i32 = 3_051_003;

/// The flags of a connection: it is used by one thread at a time, and follows no links.
pub(crate) const SAFELY: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX.union(OpenFlags::SQLITE_OPEN_NOFOLLOW);

/// The reason why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error("SQLite reported an error")]
    Sqlite(#[from] rusqlite::Error),
    /// A required setting was refused.
    #[error("SQLite refused the setting {0}")]
    Setting(&'static str),
    #[error("it can only be read")]
    ReadOnly,
    #[error("this SQLite is too old")]
    TooOld,
}

impl ConnectError {
    /// Returns whether another connection is in the way.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy))
    }

    /// Returns whether something may have been written before it failed.
    pub(crate) fn may_have_written(&self) -> bool {
        let Self::Sqlite(error) = self else {
            return false;
        };
        error.sqlite_error().is_some_and(|found| match found.code {
            ErrorCode::DiskFull => true,
            ErrorCode::SystemIoFailure => !matches!(found.extended_code, SQLITE_IOERR_READ | SQLITE_IOERR_SHORT_READ),
            _ => false,
        })
    }
}

/// Opens an existing file for reading and writing, without changing it.
pub(crate) fn existing(path: &Path, wait: Duration) -> Result<Connection, ConnectError> {
    if rusqlite::version_number() < OLDEST {
        return Err(ConnectError::TooOld);
    }
    let conn = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE, wait)?;
    if conn.is_readonly(rusqlite::MAIN_DB)? {
        return Err(ConnectError::ReadOnly);
    }
    Ok(conn)
}

/// Returns whether another connection of any process is open on this database, after waiting for this time. Changes
/// nothing.
pub(crate) fn is_used(path: &Path, wait: Duration) -> bool {
    let looked = || -> rusqlite::Result<()> {
        let conn = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE, wait)?;
        conn.set_db_config(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        // Each connection to a log holds a lock that this one needs exclusively before it reads.
        conn.pragma_update(None, "locking_mode", "exclusive")?;
        setting::<i32>(&conn, "user_version").map(drop)
    };
    looked().is_err_and(|error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy))
}

/// Sets up a connection for writing. Its commits are on disk when `COMMIT` returns.
pub(crate) fn for_writing(conn: &Connection) -> Result<(), ConnectError> {
    keep_log(conn)?;
    expect(conn, "page_size", PAGE_SIZE)?;
    set(conn, "synchronous", 2)?;
    set(conn, "foreign_keys", 1)?;
    // Checkpoints are made by the upkeep: here they would delay the commit that triggers them.
    set(conn, "wal_autocheckpoint", 0)?;
    set(conn, "journal_size_limit", 64 << 20)?;
    common(conn)
}

/// Makes SQLite keep a log beside the file from now on.
///
/// Neither this nor [`give_up_log`] makes a rollback journal, which a kill would leave behind and every process would
/// then refuse as foreign. None is needed: the change is in the first 512 bytes of the file, which are written
/// completely or not at all.
pub(crate) fn keep_log(conn: &Connection) -> Result<(), ConnectError> {
    if setting::<String>(conn, "journal_mode")? == "wal" {
        return Ok(());
    }
    set_journal_mode(conn, "memory")?;
    let since = Instant::now();
    loop {
        match set_journal_mode(conn, "wal") {
            // Another process that wants the same is reading, and SQLite lets neither wait for the other.
            Err(error) if error.is_busy() && since.elapsed() < MOMENT => thread::sleep(Duration::from_millis(10)),
            kept => return kept,
        }
    }
}

/// Copies the log into the file, removes the log, and makes SQLite keep none from now on. Fails as busy while another
/// connection is open.
pub(crate) fn give_up_log(conn: &Connection) -> Result<(), ConnectError> {
    set_journal_mode(conn, "off")?;
    set_journal_mode(conn, "delete")
}

fn set_journal_mode(conn: &Connection, mode: &str) -> Result<(), ConnectError> {
    let mut is_set = false;
    // All rows are read: SQLite commits the change only after the row with the mode.
    conn.pragma(None, "journal_mode", mode, |row| {
        is_set = row.get_ref(0)?.as_str()? == mode;
        Ok(())
    })?;
    if is_set { Ok(()) } else { Err(ConnectError::Setting("journal_mode")) }
}

/// Opens a connection for reading.
pub(crate) fn reader(path: &Path, wait: Duration) -> Result<Connection, ConnectError> {
    let conn = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY, wait)?;
    set(&conn, "query_only", 1)?;
    common(&conn)?;
    Ok(conn)
}

/// Opens a file for reading that no process changes. Nothing beside it is read or made.
pub(crate) fn immutable(path: &Path) -> Result<Connection, ConnectError> {
    let uri = path.as_os_str().as_encoded_bytes().iter().fold("file:".to_owned(), |mut uri, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
        uri
    });
    let access = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | SAFELY;
    // Not `query_only`, which forbids a copy into another file too.
    let conn = Connection::open_with_flags(uri + "?immutable=1", access)?;
    common(&conn)?;
    Ok(conn)
}

fn open(path: &Path, access: OpenFlags, wait: Duration) -> rusqlite::Result<Connection> {
    let conn = Connection::open_with_flags(path, access | SAFELY)?;
    conn.busy_timeout(wait)?;
    Ok(conn)
}

fn common(conn: &Connection) -> Result<(), ConnectError> {
    // Otherwise SQLite prepares some statements again whenever their values change, which takes four times as long as
    // running them.
    conn.set_db_config(SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(128);
    set(conn, "cache_size", CACHE)?;
    set(conn, "mmap_size", 0)?;
    set(conn, "trusted_schema", 0)
}

/// Returns the value of a setting.
pub(crate) fn setting<T: FromSql>(conn: &Connection, pragma: &str) -> rusqlite::Result<T> {
    conn.pragma_query_value(None, pragma, |row| row.get(0))
}

fn set(conn: &Connection, pragma: &'static str, value: i64) -> Result<(), ConnectError> {
    conn.pragma_update(None, pragma, value)?;
    expect(conn, pragma, value)
}

fn expect<T: FromSql + PartialEq>(conn: &Connection, pragma: &'static str, value: T) -> Result<(), ConnectError> {
    if setting::<T>(conn, pragma)? == value {
        return Ok(());
    }
    Err(ConnectError::Setting(pragma))
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn a_commit_waits_for_the_disk() {
        // With less than 2, `COMMIT` returns before the log is on disk, which only a cut of the power shows otherwise.
        let directory = tempfile::tempdir().unwrap();
        let conn = Connection::open(directory.path().join("commits.db")).unwrap();
        for_writing(&conn).unwrap();
        assert!(setting::<i64>(&conn, "synchronous").unwrap() >= 2);
    }

    #[test]
    fn a_statement_is_prepared_once_whatever_its_values_are() {
        let directory = tempfile::tempdir().unwrap();
        let conn = Connection::open(directory.path().join("statements.db")).unwrap();
        common(&conn).unwrap();
        conn.execute_batch("CREATE TABLE t (a INTEGER, b INTEGER PRIMARY KEY); CREATE INDEX t_a ON t (a);").unwrap();
        for value in 0..4 {
            let mut statement = conn.prepare_cached("SELECT b FROM t WHERE a = ? ORDER BY b").unwrap();
            assert!(statement.query([value]).unwrap().next().unwrap().is_none());
            assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
        }
    }
}
