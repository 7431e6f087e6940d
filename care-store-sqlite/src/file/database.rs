//! The database file: finding, checking and making it.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE};

use super::{
    lock::Ownership,
    paths::{self, beside, has_content, sync_directory, unless_absent},
    schema::{self, Differences},
    staging::Staging,
};
use crate::base::{
    connect::{self, PAGE_SIZE},
    open_error::{OpenErrorKind, Refusal},
};

/// The name of a database while it is made.
pub(crate) const DRAFT: &str = "database";

/// Returns whether the file exists; it must then look like a database of this service.
///
/// Only SQLite ever opens the file: the system drops all locks of a process on a file when any handle of it is closed,
/// and this process may have a store on it already.
pub(crate) fn is_there(path: &Path, wait: Duration) -> Result<bool, Refusal> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        metadata => metadata?,
    };
    if !metadata.is_file() {
        return Err(OpenErrorKind::NotAFile.into());
    }
    if metadata.len() == 0 {
        return Err(OpenErrorKind::Empty.into());
    }
    // SQLite would play it back into the file. This service never makes one.
    if has_content(&beside(path, "-journal")) {
        return Err(OpenErrorKind::Foreign.into());
    }
    look(path, wait).map(|_| true)
}

/// Returns whether the file exists and needs no migration.
pub(crate) fn is_current(path: &Path, wait: Duration) -> Result<bool, Refusal> {
    Ok(is_there(path, wait)? && schema::version(&look(path, wait)?)? == schema::VERSION)
}

/// Opens a file that looks like a database of this service, without changing it.
fn look(path: &Path, wait: Duration) -> Result<Connection, Refusal> {
    let log_is_left = has_content(&beside(path, "-wal"));
    let conn = connect::existing(path, wait)?;
    // An old log is copied into the file only after both have been checked.
    conn.set_db_config(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, log_is_left)?;
    recognise(&conn)?;
    Ok(conn)
}

/// Returns the path of a backup, which is one file: what stands beside it is not a part of it.
pub(crate) fn backup(path: &Path) -> Result<PathBuf, Refusal> {
    let path = paths::canonical(path)?;
    if !path.is_file() {
        return Err(OpenErrorKind::NotAFile.into());
    }
    match ["-wal", "-journal"].iter().any(|suffix| has_content(&beside(&path, suffix))) {
        true => Err(OpenErrorKind::Logged.into()),
        false => Ok(path),
    }
}

/// Opens a backup, of which only its file is read, and checks that it is one of this service.
pub(crate) fn open_backup(path: &Path) -> Result<Connection, Refusal> {
    let conn = connect::immutable(path)?;
    recognise(&conn)?;
    is_ours_alone(&conn)?;
    Ok(conn)
}

/// Refuses a file that is not a database of this service, one of a newer version, and one in another encoding.
pub(crate) fn recognise(conn: &Connection) -> Result<(), Refusal> {
    let id: i32 = connect::setting(conn, "application_id")?;
    match schema::version(conn)? {
        _ if id != schema::APPLICATION_ID => Err(OpenErrorKind::Foreign.into()),
        ..=0 => Err(OpenErrorKind::Foreign.into()),
        version if version > schema::VERSION => Err(OpenErrorKind::Newer.into()),
        _ => match connect::setting::<String>(conn, "encoding")?.as_str() {
            "UTF-8" => Ok(()),
            _ => Err(OpenErrorKind::Encoding.into()),
        },
    }
}

/// Refuses a database whose schema contains a foreign object: a trigger could write without a journal entry, and a view
/// could take the place of a table.
pub(crate) fn is_ours_alone(conn: &Connection) -> Result<(), Refusal> {
    let Differences { foreign, ours } = schema::differences(conn)?;
    match ours.first() {
        _ if !foreign.is_empty() => Err(Refusal::shared(&foreign)),
        Some(name) => Err(Refusal::altered(name)),
        None => Ok(()),
    }
}

/// Opens an existing file, and refuses one that is not sound, without changing it. Every page is checked, which takes
/// seconds for a large file, unless the file is known to be sound.
pub(crate) fn open(path: &Path, wait: Duration, ownership: &Ownership, is_sound: bool) -> Result<Connection, Refusal> {
    let conn = look(path, wait)?;
    ownership.admit()?;
    is_ours_alone(&conn)?;
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

/// Makes the file under another name, and renames it when it is complete. A file that appears meanwhile is left alone.
pub(crate) fn create(path: &Path, wait: Duration) -> Result<(), Refusal> {
    set_aside_orphans(path)?;
    let staging = Staging::beside(path)?;
    let draft = staging.path(DRAFT);
    let file = staging.create(DRAFT)?;
    fill(&draft, wait)?;
    file.sync_all()?;
    // The file must still have one name: closing a handle drops all locks of this process on the file.
    drop(file);
    match fs::hard_link(&draft, path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        // Not every file system has hard links. No other process makes this file now, so renaming does no harm.
        Err(_) => fs::rename(&draft, path)?,
        Ok(()) => {}
    }
    Ok(sync_directory(path)?)
}

/// Removes a database without an entry and a key. No server has it open meanwhile.
pub(crate) fn remove_empty(path: &Path) -> Result<(), Refusal> {
    let path = paths::canonical(path)?;
    let _ownership = Ownership::take(&path, false)?;
    let conn = look(&path, Duration::ZERO)?;
    let query = "SELECT NOT EXISTS (SELECT 1 FROM journal) AND NOT EXISTS (SELECT 1 FROM api_key)";
    let is_empty: bool = conn.query_row(query, (), |row| row.get(0))?;
    conn.close().map_err(|(_, error)| error)?;
    if is_empty {
        fs::remove_file(&path)?;
        sync_directory(&path)?;
    }
    Ok(())
}

fn fill(draft: &Path, wait: Duration) -> Result<(), Refusal> {
    let conn = connect::existing(draft, wait)?;
    conn.pragma_update(None, "page_size", PAGE_SIZE)?;
    conn.pragma_update(None, "application_id", schema::APPLICATION_ID)?;
    schema::migrate(&conn)?;
    connect::for_writing(&conn)?;
    Ok(conn.close().map_err(|(_, error)| error)?)
}

/// Sets aside a log without its database, which would be taken for the new one's and damage it. The operator may still
/// need it.
pub(crate) fn set_aside_orphans(path: &Path) -> Result<(), Refusal> {
    for suffix in ["-wal", "-journal"] {
        let orphan = beside(path, suffix);
        if unless_absent(fs::rename(&orphan, beside(&orphan, ".orphan")))? {
            tracing::warn!(file = %orphan.display(), "set aside a log without its database");
        }
    }
    Ok(())
}
