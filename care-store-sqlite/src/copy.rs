//! Copies of databases that are not in their place yet.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, OptionalExtension, config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE};

use crate::{
    base::{
        connect::{self, ConnectError, SAFELY},
        journal,
        open_error::{OpenError, OpenErrorKind, Refusal},
    },
    file::{
        database::{self, DRAFT},
        lock::Ownership,
        paths::{self, Identity, beside, has_content, sync_directory},
        staging::Staging,
    },
    store::SqliteStore,
};

/// The longest wait for a busy database.
const WAIT: Duration = Duration::from_secs(60);

/// The number and the link of the last entry of a journal; `None` for an empty one.
type Last = Option<(i64, Vec<u8>)>;

/// A copy of a database, made apart from its later place: no process sees it there before it is complete, checked, and
/// on disk. A copy that is dropped before it was [put](Self::put) in its place is removed.
///
/// ```
/// use care_core::store::Maintenance;
/// use care_store_sqlite::{DatabaseCopy, SqliteStore};
///
/// # futures_executor::block_on(async {
/// # let directory = tempfile::tempdir()?;
/// # let (database, backup) = (directory.path().join("care.db"), directory.path().join("backup.db"));
/// let store = SqliteStore::open(&database)?;
/// // The store continues meanwhile.
/// let copy = DatabaseCopy::backup(&database, &backup, false)?;
/// copy.open()?.check().await?;
/// copy.put()?;
/// assert!(backup.exists());
/// # drop(store);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a copy that is dropped before it is put in its place is removed"]
pub struct DatabaseCopy {
    staging: Staging,
    to: PathBuf,
    /// The place as the caller names it.
    called: PathBuf,
    replace: bool,
    is_restored: bool,
    last: Last,
    /// The ownership of the place from the beginning to the end; `None` where no database is replaced and no server can
    /// be waiting.
    ownership: Option<Ownership>,
}

impl DatabaseCopy {
    /// Copies a whole database as it is at one moment, including its log and without deleted data. It may be in use: no
    /// process that writes to it has to wait.
    ///
    /// The copy is made in a [`Staging`] directory beside its place. With `replace` it replaces a database at that
    /// place, which no server may have in use and which is not the one that is copied; any other file is refused.
    ///
    /// # Errors
    /// The reason why the database cannot be read, or the copy cannot be made.
    pub fn backup(from: impl AsRef<Path>, to: impl AsRef<Path>, replace: bool) -> Result<Self, OpenError> {
        Self::copy(from.as_ref(), to.as_ref(), replace, false)
    }

    /// Copies a backup, which is one file without a log, to a place from which a server is to serve it. From now on the
    /// copy owns the place: a server that starts on it meanwhile waits for a second and is then refused, whether or not
    /// there is a database yet.
    ///
    /// # Errors
    /// The reason why the backup cannot be read, [`OpenErrorKind::Logged`] among them, or the copy cannot be made.
    pub fn restore(from: impl AsRef<Path>, to: impl AsRef<Path>, replace: bool) -> Result<Self, OpenError> {
        Self::copy(from.as_ref(), to.as_ref(), replace, true)
    }

    fn copy(from: &Path, called: &Path, replace: bool, is_restored: bool) -> Result<Self, OpenError> {
        let kept = || database::open_backup(&database::backup(from)?);
        let source = if is_restored { kept() } else { source(from) };
        let source = source.map_err(|refusal| refusal.of(from))?;
        let place = |refusal: Refusal| refusal.of(called);
        let to = paths::canonical(called).map_err(place)?;
        if replace && !is_restored {
            is_replaceable(from, &to).map_err(place)?;
        }
        let is_owned = is_restored || replace;
        let ownership = is_owned.then(|| Ownership::take(&to, false)).transpose().map_err(place)?;
        is_free(&to, replace).map_err(place)?;
        let staging = Staging::beside(&to).map_err(Refusal::from).map_err(place)?;
        let mut copy = Self { staging, to, called: called.to_owned(), replace, is_restored, last: None, ownership };
        copy.fill(&source).map_err(|refusal| refusal.of(from))?;
        Ok(copy)
    }

    /// Opens the copy for a check. Close it again before the copy is put in its place.
    ///
    /// # Errors
    /// The reason why it is refused.
    pub fn open(&self) -> Result<SqliteStore, OpenError> {
        SqliteStore::open(self.path())
    }

    /// Puts the copy in its place, completely or not at all, also when it is interrupted.
    ///
    /// # Errors
    /// When the place is taken and not to be replaced, or is in use, or is not a file; the place is then unchanged.
    /// After [`OpenErrorKind::Unconfirmed`] alone the copy is in its place.
    pub fn put(mut self) -> Result<(), OpenError> {
        let placed = self.place().map_err(|refusal| refusal.of(&self.called));
        let is_there = placed.as_ref().map_or_else(|error| error.kind() == OpenErrorKind::Unconfirmed, |()| true);
        if let Some(ownership) = self.ownership.as_mut().filter(|_| is_there) {
            ownership.keep();
        }
        placed
    }

    fn place(&self) -> Result<(), Refusal> {
        self.settle()?;
        is_free(&self.to, self.replace)?;
        if self.replace && !self.is_restored {
            database::is_there(&self.to, WAIT)?;
        }
        if self.replace {
            self.retire()?;
            fs::rename(self.path(), &self.to)?;
        } else {
            database::set_aside_orphans(&self.to)?;
            match fs::hard_link(self.path(), &self.to) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(OpenErrorKind::Exists.into()),
                // Not every file system has hard links.
                Err(_) => fs::rename(self.path(), &self.to)?,
                Ok(()) => {}
            }
        }
        sync_directory(&self.to).map_err(Refusal::unconfirmed)
    }

    fn path(&self) -> PathBuf {
        self.staging.path(DRAFT)
    }

    fn fill(&mut self, source: &Connection) -> Result<(), Refusal> {
        drop(self.staging.create(DRAFT)?);
        let path = self.path();
        let name = path.to_str().ok_or(OpenErrorKind::Unsupported)?;
        let before = last(source)?;
        source.execute("VACUUM INTO ?", [name])?;
        let copy = open(&path)?;
        self.last = last(&copy)?;
        // The source may have changed before and after. But the copy ends with one of its entries, and not with an
        // earlier one than the source had.
        let number = |last: &Last| last.as_ref().map_or(0, |(seq, _)| *seq);
        let is_whole = number(&before) <= number(&self.last) && entry(source, number(&self.last))? == self.last;
        if is_whole { Ok(()) } else { Err(OpenErrorKind::Exchanged.into()) }
    }

    /// Makes the copy a single file that is on disk, and checks that it is still the one that was made. A backup can be
    /// read where the file system is read-only; a restored copy is used at once.
    fn settle(&self) -> Result<(), Refusal> {
        let conn = open(&self.path())?;
        if last(&conn)? != self.last {
            return Err(OpenErrorKind::Exchanged.into());
        }
        if self.is_restored {
            // Entries after the backup are lost, and their numbers will be used again.
            journal::renew_epoch(&conn)?;
        }
        // Closing a connection would not report that its log cannot be copied into the file.
        connect::give_up_log(&conn)?;
        if self.is_restored {
            connect::keep_log(&conn)?;
        }
        conn.close().map_err(|(_, error)| error)?;
        fs::File::open(self.path())?.sync_all()?;
        Ok(())
    }

    /// Ensures that no log is beside the place, which would be taken for the copy's, and that no process uses the
    /// database there. The log is first copied into its database, if that can be read, so that a crash before the end
    /// leaves that database unchanged.
    fn retire(&self) -> Result<(), Refusal> {
        if let Some(ownership) = &self.ownership {
            ownership.replacing()?;
        }
        let taken_over = || -> Result<(), ConnectError> {
            let conn = open(&self.to)?;
            conn.busy_timeout(Duration::from_secs(1))?;
            connect::give_up_log(&conn)?;
            Ok(conn.close().map_err(|(_, error)| error)?)
        };
        if self.to.exists() {
            match taken_over() {
                Err(error) if error.is_busy() => return Err(OpenErrorKind::InUse.into()),
                // A part of the log may be in the file.
                Err(error) if error.may_have_written() => return Err(error.into()),
                Err(error) => tracing::debug!(%error, "the database that is replaced cannot be read"),
                Ok(()) => {}
            }
        }
        database::set_aside_orphans(&self.to)?;
        paths::unless_absent(fs::remove_file(beside(&self.to, "-shm")))?;
        // After a power cut the old log must not stand beside the new database.
        Ok(sync_directory(&self.to)?)
    }
}

/// Refuses a place that the copy cannot take.
fn is_free(to: &Path, replace: bool) -> Result<(), Refusal> {
    match fs::symlink_metadata(to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
        Ok(_) if !replace => Err(OpenErrorKind::Exists.into()),
        Ok(there) if !there.is_file() => Err(OpenErrorKind::NotAFile.into()),
        Ok(_) => Ok(()),
    }
}

/// Refuses to replace a file by a backup, unless it is a database of this service and not the one that is copied.
fn is_replaceable(from: &Path, to: &Path) -> Result<(), Refusal> {
    let from = paths::canonical(from)?;
    let is_same = if cfg!(unix) { Identity::at(&from)? == Identity::at(to)? } else { from == to };
    if is_same {
        return Err(OpenErrorKind::Source.into());
    }
    database::is_there(to, WAIT).map(drop)
}

/// Opens a database for reading, after checking that it is one of this service.
fn source(path: &Path) -> Result<Connection, Refusal> {
    let path = paths::canonical(path)?;
    if !path.is_file() {
        return Err(OpenErrorKind::NotAFile.into());
    }
    // A connection that only reads would leave the files that SQLite makes beside it. A database that can only be read
    // is read.
    let log_is_left = has_content(&beside(&path, "-wal"));
    let conn = open(&path)?;
    conn.set_db_config(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, log_is_left)?;
    database::recognise(&conn)?;
    database::is_ours_alone(&conn)?;
    Ok(conn)
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | SAFELY)?;
    conn.busy_timeout(WAIT)?;
    Ok(conn)
}

fn last(conn: &Connection) -> rusqlite::Result<Last> {
    entry(conn, i64::MAX)
}

/// Returns the last entry up to this number.
fn entry(conn: &Connection, seq: i64) -> rusqlite::Result<Last> {
    let query = "SELECT seq, link FROM journal WHERE seq <= ? ORDER BY seq DESC LIMIT 1";
    conn.query_row(query, [seq], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}
