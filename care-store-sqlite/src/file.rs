//! The database file: finding it, looking it over, making it.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE};

use crate::{
    connect::{self, PAGE_SIZE},
    lock::{beside, create_private},
    open_error::{OpenErrorKind, Refusal},
    schema,
};

/// The one path by which everybody knows the file, whether or not it is there yet.
pub(crate) fn canonical(path: &Path) -> Result<PathBuf, Refusal> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let name = path.file_name().ok_or(OpenErrorKind::NotAFile)?;
            if path.is_symlink() {
                return Err(OpenErrorKind::NotAFile.into());
            }
            let directory = path.parent().filter(|parent| *parent != Path::new(""));
            Ok(fs::canonicalize(directory.unwrap_or(Path::new(".")))?.join(name))
        }
        found => Ok(found?),
    }
}

/// Whether there is a file, which must be a database of this service by the look of it.
///
/// Only SQLite ever opens the file: the system drops all of a process's locks on a file when any handle of it is
/// closed, and this process may have a store on it already.
pub(crate) fn is_there(path: &Path, wait: Duration) -> Result<bool, Refusal> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        metadata => metadata?,
    };
    if !metadata.is_file() {
        return Err(OpenErrorKind::NotAFile.into());
    }
    if metadata.len() == 0 {
        return Err(OpenErrorKind::Empty.into());
    }
    // SQLite would play it back into the file, and this service never leaves one.
    if has_content(&beside(path, "-journal")) {
        return Err(OpenErrorKind::Foreign.into());
    }
    look(path, wait).map(|_| true)
}

/// Whether the file is there and needs nothing done to it.
pub(crate) fn is_current(path: &Path, wait: Duration) -> Result<bool, Refusal> {
    Ok(is_there(path, wait)? && schema::version(&look(path, wait)?)? == schema::VERSION)
}

/// Opens a file that is a database of this service by the look of it, and changes nothing in it.
fn look(path: &Path, wait: Duration) -> Result<Connection, Refusal> {
    let log_is_left = has_content(&beside(path, "-wal"));
    let conn = connect::existing(path, wait)?;
    // A log that was left behind goes into the file only once all is well with both.
    conn.set_db_config(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, log_is_left)?;
    recognise(&conn)?;
    Ok(conn)
}

/// Refuses what is no database of this service, or one of a newer version.
pub(crate) fn recognise(conn: &Connection) -> Result<(), Refusal> {
    let id: i32 = conn.pragma_query_one(None, "application_id")?;
    match schema::version(conn)? {
        _ if id != schema::APPLICATION_ID => Err(OpenErrorKind::Foreign.into()),
        ..=0 => Err(OpenErrorKind::Foreign.into()),
        version if version > schema::VERSION => Err(OpenErrorKind::Newer.into()),
        _ => Ok(()),
    }
}

pub(crate) fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0)
}

/// Opens an existing file, and refuses one that is not sound, without a change in it. Each page is looked at, which
/// takes seconds for a large file, unless it is known to be sound.
pub(crate) fn open(path: &Path, wait: Duration, is_sound: bool) -> Result<Connection, Refusal> {
    let conn = look(path, wait)?;
    if !is_sound {
        let verdict: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if verdict != "ok" {
            return Err(Refusal::damaged(schema::in_one_line(&verdict)));
        }
    }
    conn.set_db_config(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    connect::for_writing(&conn)?;
    schema::migrate(&conn)?;
    Ok(conn)
}

/// Makes the file, whole or not at all: it is filled under another name. Leaves one that appears meanwhile alone.
pub(crate) fn create(path: &Path, wait: Duration) -> Result<(), Refusal> {
    set_aside_orphans(path)?;
    let draft = beside(path, "-unfinished");
    // What a crash left behind here was never a database.
    for suffix in ["", "-journal", "-wal", "-shm"] {
        unless_absent(fs::remove_file(beside(&draft, suffix)))?;
    }
    fill(&draft, wait)?;
    match fs::hard_link(&draft, path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        // Not every file system has links. Nobody else makes this file now, so renaming harms none.
        Err(_) => fs::rename(&draft, path)?,
        Ok(()) => {}
    }
    unless_absent(fs::remove_file(&draft))?;
    sync_directory(path)
}

fn fill(draft: &Path, wait: Duration) -> Result<(), Refusal> {
    let file = create_private(draft)?;
    let conn = connect::existing(draft, wait)?;
    conn.pragma_update(None, "page_size", PAGE_SIZE)?;
    conn.pragma_update(None, "application_id", schema::APPLICATION_ID)?;
    schema::migrate(&conn)?;
    connect::for_writing(&conn)?;
    conn.close().map_err(|(_, error)| error)?;
    file.sync_all()?;
    Ok(())
}

/// A log without its database would be taken for the new one's and ruin it; it may still be of use to somebody.
pub(crate) fn set_aside_orphans(path: &Path) -> Result<(), Refusal> {
    for suffix in ["-wal", "-journal"] {
        let orphan = beside(path, suffix);
        if unless_absent(fs::rename(&orphan, beside(&orphan, ".orphan")))? {
            tracing::warn!(file = %orphan.display(), "set aside a log without its database");
        }
    }
    Ok(())
}

/// Whether there was something to do it to.
pub(crate) fn unless_absent(done: io::Result<()>) -> io::Result<bool> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        done => done.map(|()| true),
    }
}

/// Makes the new name durable.
pub(crate) fn sync_directory(path: &Path) -> Result<(), Refusal> {
    #[cfg(unix)]
    if let Some(directory) = path.parent() {
        File::open(directory)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
