//! A copy of a database that is not in its place yet.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE};

use crate::{
    OpenError, SqliteStore,
    file::{self, sync_directory},
    lock::{Ownership, beside, create_private},
    open_error::{OpenErrorKind, Refusal},
};

/// So long a busy database is waited for.
const WAIT: Duration = Duration::from_secs(60);

/// A copy of a database beside the place that it is to take: nobody sees it there before it is whole, looked over, and on
/// disk. Dropped before it was [put](Self::put) in its place, it is removed.
///
/// ```
/// use care_store_sqlite::{Draft, SqliteStore};
///
/// # futures_executor::block_on(async {
/// # let directory = tempfile::tempdir()?;
/// # let (database, backup) = (directory.path().join("care.db"), directory.path().join("backup.db"));
/// let store = SqliteStore::open(&database)?;
/// // The store goes on meanwhile.
/// let draft = Draft::copy(&database, &backup)?;
/// draft.open()?.check().await?;
/// draft.put(false)?;
/// assert!(backup.exists());
/// # drop(store);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Draft {
    unfinished: PathBuf,
    to: PathBuf,
    /// The place, as the caller calls it.
    called: PathBuf,
}

impl Draft {
    /// Copies everything that is in a database at one moment, what is still in its log included and what was deleted
    /// left out. It may be in use: nobody who writes to it has to wait.
    ///
    /// The copy is readable by its owner alone, and called like its place with `-unfinished` behind it.
    ///
    /// # Errors
    /// Why the one cannot be read or the other cannot be made. One that a crash has left behind has to be removed first.
    pub fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<Self, OpenError> {
        let (from, called) = (from.as_ref(), to.as_ref().to_owned());
        let place = file::canonical(&called).map_err(|refusal| refusal.of(&called))?;
        let unfinished = beside(&place, "-unfinished");
        let source = source(from).map_err(|refusal| refusal.of(from))?;
        create_private(&unfinished).map_err(|error| Refusal::from(error).of(&unfinished))?;
        // From here on it is removed when something goes wrong.
        let draft = Self { unfinished, to: place, called };
        match draft.unfinished.to_str() {
            Some(name) => source.execute("VACUUM INTO ?", [name]).map(drop).map_err(Refusal::from),
            None => Err(OpenErrorKind::Unsupported.into()),
        }
        .map_err(|refusal| refusal.of(from))?;
        Ok(draft)
    }

    /// Opens the copy, to look it over. To be closed again before it is put in its place.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn open(&self) -> Result<SqliteStore, OpenError> {
        SqliteStore::open(&self.unfinished)
    }

    /// Puts the copy in its place: whole or not at all, whatever happens meanwhile. With `replace` it takes the place of
    /// the database that is there, if there is one.
    ///
    /// # Errors
    /// When something is there already and is not to be replaced, or is in use by a server, or is no file.
    pub fn put(self, replace: bool) -> Result<(), OpenError> {
        self.place(replace).map_err(|refusal| refusal.of(&self.called))
    }

    fn place(&self, replace: bool) -> Result<(), Refusal> {
        self.settle()?;
        if !replace {
            if self.to.exists() {
                return Err(OpenErrorKind::Exists.into());
            }
            retire_log(&self.to)?;
            return match fs::hard_link(&self.unfinished, &self.to) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(OpenErrorKind::Exists.into()),
                // Not every file system has links.
                Err(_) => Ok(fs::rename(&self.unfinished, &self.to)?),
                Ok(()) => Ok(()),
            }
            .and_then(|()| sync_directory(&self.to));
        }
        if self.to.exists() && !self.to.is_file() {
            return Err(OpenErrorKind::NotAFile.into());
        }
        let _alone = Ownership::take(&self.to, false)?;
        retire_log(&self.to)?;
        fs::rename(&self.unfinished, &self.to)?;
        sync_directory(&self.to)
    }

    /// Makes it one file, with nothing beside it, that is on disk.
    fn settle(&self) -> Result<(), Refusal> {
        let conn = Connection::open_with_flags(&self.unfinished, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        conn.pragma_update(None, "journal_mode", "delete")?;
        conn.close().map_err(|(_, error)| error)?;
        fs::File::open(&self.unfinished)?.sync_all()?;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        for suffix in ["", "-journal", "-wal", "-shm", ".lock"] {
            // What is not there needs no removal, and nobody hears of the rest.
            let _ = fs::remove_file(beside(&self.unfinished, suffix));
        }
    }
}

/// A database of this service by the look of it, to be read.
fn source(path: &Path) -> Result<Connection, Refusal> {
    let path = file::canonical(path)?;
    if !path.is_file() {
        return Err(OpenErrorKind::NotAFile.into());
    }
    // Not merely to read: then the files that SQLite makes beside it would stay. One that can only be read is read.
    let log_is_left = file::has_content(&beside(&path, "-wal"));
    let conn = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    conn.set_db_config(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, log_is_left)?;
    conn.busy_timeout(WAIT)?;
    file::recognise(&conn)?;
    Ok(conn)
}

/// Sees to it that no log is beside this place that would be taken for the log of what is put there. If it can be read,
/// the log is taken over into its database first, so that a crash before the end leaves that as it was.
fn retire_log(path: &Path) -> Result<(), Refusal> {
    let taken_over = || -> rusqlite::Result<()> {
        let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        conn.pragma_update(None, "journal_mode", "delete")?;
        conn.close().map_err(|(_, error)| error)
    };
    if path.exists()
        && let Err(error) = taken_over()
    {
        tracing::debug!(%error, "the database that is replaced cannot be read");
    }
    file::set_aside_orphans(path)?;
    file::unless_absent(fs::remove_file(beside(path, "-shm")))?;
    Ok(())
}
