//! The relay's file: endpoints with their secrets and places, dead letters and the last attempts. It holds no message.

mod endpoint;
mod error;
mod ledger;
mod operator;
mod outcome;
mod ownership;
#[cfg(feature = "program")]
mod reports;
mod rows;
mod schema;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    fs::{self, OpenOptions},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

pub(crate) use endpoint::{Condition, Damaged, Endpoint, Place, Replay, Sent, Signing};
pub use error::StateError;
pub(crate) use ledger::Ledger;
pub use operator::{NewEndpoint, Start};
pub(crate) use outcome::{Delivered, Turn, begin, move_replay, note_end, pass_over, pause_in_another_past};

use ownership::Ownership;

/// The first bytes of every SQLite database.
const DATABASE: &[u8] = b"SQLite format 3";

/// Longest wait for another process that is writing.
const BUSY: Duration = Duration::from_secs(5);

/// The relay's file. Tools may have it open beside a running relay, which follows within a second.
pub struct State {
    pub(crate) conn: Connection,
    path: PathBuf,
}

impl State {
    /// Opens the file, and makes it if there is none.
    ///
    /// # Errors
    /// It is not a relay's file, or the system refuses.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StateError> {
        let path = path.into();
        if is_beside_a_database(&path)? {
            return Err(StateError::Foreign);
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        match options.open(&path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
        Self::existing(path)
    }

    /// Opens a file that must exist.
    ///
    /// # Errors
    /// It does not, it is not a relay's file, or the system refuses.
    pub fn existing(path: impl Into<PathBuf>) -> Result<Self, StateError> {
        let path = path.into();
        if is_beside_a_database(&path)? {
            return Err(StateError::Foreign);
        }
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(StateError::Absent),
            Err(error) => return Err(error.into()),
        };
        if !found.is_file() {
            return Err(StateError::Foreign);
        }
        let is_empty = found.len() == 0;
        let mut conn = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        conn.busy_timeout(BUSY)?;
        if !is_empty {
            check(&conn)?;
        }
        close_to_others(&path)?;
        conn.pragma_update(None, "journal_mode", "wal")?;
        conn.pragma_update(None, "synchronous", "full")?;
        conn.pragma_update(None, "foreign_keys", true)?;
        // A secret that an operator removes is not left in the file.
        conn.pragma_update(None, "secure_delete", true)?;
        let making = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if is_blank(&making)? {
            making.execute_batch(schema::TABLES)?;
            making.pragma_update(None, "application_id", schema::APPLICATION_ID)?;
            making.pragma_update(None, "user_version", schema::VERSION)?;
        } else {
            check(&making)?;
        }
        making.commit()?;
        Ok(Self { conn, path })
    }

    /// Takes the right to deliver from the file. The system gives it back when the process ends in any way.
    pub(crate) fn own(&self) -> Result<Ownership, StateError> {
        Ownership::take(&self.path)
    }
}

impl fmt::Debug for State {
    /// Shows the path, and nothing that the file holds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Returns whether the path is that of a file which a database has beside it. It is often empty, as a new state is.
fn is_beside_a_database(path: &Path) -> io::Result<bool> {
    for side in ["-wal", "-shm", "-journal", ".lock"] {
        let Some(database) = path.to_str().and_then(|path| path.strip_suffix(side)) else {
            continue;
        };
        if Path::new(database).is_file() {
            let mut first = Vec::new();
            fs::File::open(database)?.take(DATABASE.len() as u64).read_to_end(&mut first)?;
            return Ok(first == DATABASE);
        }
    }
    Ok(false)
}

fn number(conn: &Connection, pragma: &str) -> rusqlite::Result<i32> {
    conn.pragma_query_value(None, pragma, |row| row.get(0))
}

/// Refuses a file that is not a relay's of this version, such as one that SQLite cannot read, and one that holds more
/// or other things: a trigger could move a place, and a view could take the place of a table.
fn check(conn: &Connection) -> Result<(), StateError> {
    let is_ours = number(conn, "application_id").is_ok_and(|id| id == schema::APPLICATION_ID)
        && number(conn, "user_version").is_ok_and(|version| version == schema::VERSION);
    if !is_ours {
        return Err(StateError::Foreign);
    }
    match schema::difference(conn)? {
        Some(name) => Err(StateError::Altered(name)),
        None => Ok(()),
    }
}

/// Returns whether the file has neither tables nor an owner yet.
fn is_blank(conn: &Connection) -> rusqlite::Result<bool> {
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(tables == 0 && number(conn, "application_id")? == 0)
}

/// Takes the rights of others from the file, and from its log where that has been made with them: both hold secrets.
/// SQLite gives the files beside it the rights that the file has then.
fn close_to_others(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        for suffix in ["", "-wal", "-shm"] {
            let mut file = path.as_os_str().to_owned();
            file.push(suffix);
            match fs::symlink_metadata(&file) {
                Ok(found) if found.is_file() && found.permissions().mode() & 0o077 != 0 => {
                    fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound && !suffix.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}
