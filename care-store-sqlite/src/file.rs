//! The database file: finding it, looking it over, making it.

use std::{
    fs,
    io::ErrorKind,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE};

use crate::{
    connect::{self, PAGE_SIZE},
    lock::Ownership,
    open_error::{OpenErrorKind, Refusal},
    paths::{beside, has_content, sync_directory, unless_absent},
    schema,
    staging::Staging,
};

/// How long a copy may take to become a database in use.
const MOMENT: Duration = Duration::from_secs(1);

/// What a database is called while it is made.
pub(crate) const DRAFT: &str = "database";

/// Whether there is a file, which must be a database of this service by the look of it.
///
/// Only SQLite ever opens the file: the system drops all of a process's locks on a file when any handle of it is
/// closed, and this process may have a store on it already.
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
    // SQLite would play it back into the file. This service never leaves one, and has one only for the moment in which
    // an owner begins to use a copy.
    let started = Instant::now();
    while has_content(&beside(path, "-journal")) {
        if started.elapsed() >= MOMENT {
            return Err(OpenErrorKind::Foreign.into());
        }
        thread::sleep(Duration::from_millis(10));
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

/// Refuses a database in whose schema anything is not this service's: a trigger would write what no journal entry
/// tells, and a view could take the place of a table.
pub(crate) fn is_ours_alone(conn: &Connection) -> Result<(), Refusal> {
    match schema::differences(conn)?.first() {
        Some(_) if schema::is_outdated(conn)? => Err(OpenErrorKind::Outdated.into()),
        Some(name) => Err(Refusal::altered(name)),
        None => Ok(()),
    }
}

/// Opens an existing file, and refuses one that is not sound, without a change in it. Each page is looked at, which
/// takes seconds for a large file, unless it is known to be sound.
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

/// Makes the file, whole or not at all: it is filled under another name. Leaves one that appears meanwhile alone.
pub(crate) fn create(path: &Path, wait: Duration) -> Result<(), Refusal> {
    set_aside_orphans(path)?;
    let staging = Staging::beside(path)?;
    let draft = staging.path(DRAFT);
    let file = staging.create(DRAFT)?;
    fill(&draft, wait)?;
    file.sync_all()?;
    // While it has one name: closing a handle drops all locks that this process has on the file.
    drop(file);
    match fs::hard_link(&draft, path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        // Not every file system has links. No other process makes this file now, so renaming harms none.
        Err(_) => fs::rename(&draft, path)?,
        Ok(()) => {}
    }
    Ok(sync_directory(path)?)
}

fn fill(draft: &Path, wait: Duration) -> Result<(), Refusal> {
    let conn = connect::existing(draft, wait)?;
    conn.pragma_update(None, "page_size", PAGE_SIZE)?;
    conn.pragma_update(None, "application_id", schema::APPLICATION_ID)?;
    schema::migrate(&conn)?;
    connect::for_writing(&conn)?;
    Ok(conn.close().map_err(|(_, error)| error)?)
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
