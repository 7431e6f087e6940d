//! The database file: finding it, looking it over, making it.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read},
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

/// Looks the file over without SQLite, which would already make files beside it. `false` when there is none.
pub(crate) fn looks_like_ours(path: &Path) -> Result<bool, Refusal> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        metadata => metadata?,
    };
    if !metadata.is_file() {
        return Err(OpenErrorKind::NotAFile.into());
    }
    let mut header = Vec::with_capacity(100);
    File::open(path)?.take(100).read_to_end(&mut header)?;
    let number = |at: usize| {
        let bytes = header.get(at..at + 4)?.try_into().ok()?;
        Some(i32::from_be_bytes(bytes))
    };
    // Neither number is ever changed in the log alone: the first is set before the file gets its name, and so is a
    // version above 0. A newer version that still stands in the log is met once SQLite has read it.
    match (number(60), number(68)) {
        _ if header.is_empty() => Err(OpenErrorKind::Empty.into()),
        _ if !header.starts_with(b"SQLite format 3\0") => Err(OpenErrorKind::Foreign.into()),
        (Some(version), Some(schema::APPLICATION_ID)) if version >= 1 => {
            is_known(version).map(|()| true)
        }
        _ => Err(OpenErrorKind::Foreign.into()),
    }
}

/// Opens an existing file, and refuses one that is not sound, without a change in it.
pub(crate) fn open(path: &Path, wait: Duration) -> Result<Connection, Refusal> {
    let log = fs::metadata(beside(path, "-wal"));
    let conn = connect::existing(path, wait)?;
    // A log that was left behind goes into the file only once all is well with both.
    let left_behind = log.is_ok_and(|log| log.len() > 0);
    conn.set_db_config(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, left_behind)?;
    is_known(schema::version(&conn)?)?;
    let verdict = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))?;
    if verdict != "ok" {
        return Err(OpenErrorKind::Damaged.into());
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
fn set_aside_orphans(path: &Path) -> Result<(), Refusal> {
    for suffix in ["-wal", "-journal"] {
        let orphan = beside(path, suffix);
        if unless_absent(fs::rename(&orphan, beside(&orphan, ".orphan")))? {
            tracing::warn!(file = %orphan.display(), "set aside a log without its database");
        }
    }
    Ok(())
}

/// Whether there was something to do it to.
fn unless_absent(done: io::Result<()>) -> io::Result<bool> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        done => done.map(|()| true),
    }
}

fn is_known(version: i32) -> Result<(), Refusal> {
    if version > schema::VERSION {
        return Err(OpenErrorKind::Newer.into());
    }
    Ok(())
}

/// Makes the new name durable.
fn sync_directory(path: &Path) -> Result<(), Refusal> {
    #[cfg(unix)]
    if let Some(directory) = path.parent() {
        File::open(directory)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
