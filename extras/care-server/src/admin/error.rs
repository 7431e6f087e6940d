//! The errors of tasks.

use std::{borrow::Cow, io, net::SocketAddr, path::PathBuf};

use care_core::{
    audit::{AuditError, Findings},
    error::StoreError,
    keys::KeyError,
    model::{KeyId, VisiblePath},
};
use care_store_sqlite::{CheckError, Damage, OpenError};

/// The reason why a task was not done, or not completely.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdminError {
    /// The database was refused.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The PostgreSQL database was refused.
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    OpenPostgres(#[from] care_store_postgres::OpenError),
    /// The address is a PostgreSQL URL, but the program is built without PostgreSQL.
    #[cfg(not(feature = "postgres"))]
    #[error("{}", crate::database::NO_POSTGRES)]
    NoPostgres,
    /// The task works on files, but the database is in PostgreSQL.
    #[error(
        "a database in PostgreSQL is backed up and restored with pg_basebackup, or with pgBackRest; docs/operations.md \
         has the drill"
    )]
    NotAFile,
    /// The address is neither a path nor a PostgreSQL URL.
    #[error("{}", crate::database::MISSPELT)]
    Misspelt,
    /// The database does not exist, and this task does not create one.
    #[error("the database {} does not exist", VisiblePath(.0))]
    Absent(PathBuf),
    /// The file exists, and the task may not replace it.
    #[error("{} already exists; --overwrite replaces it", VisiblePath(.0))]
    Exists(PathBuf),
    /// The backup was not restored; the database is unchanged.
    #[error("nothing was restored, and {} is unchanged", VisiblePath(.0))]
    NotRestored(PathBuf, #[source] Box<Self>),
    /// A person is erased from records and journal, but not yet from free pages and the log.
    #[error("traces may be left in free pages and in the log; run the task again")]
    Traces(#[source] StoreError),
    /// A person was erased while the journal was exported.
    #[error("a person was erased while the journal was read, so this export is unfinished; run the task again")]
    ErasedMeanwhile,
    /// Other processes changed the inventory each time that it was read.
    #[error("the inventory changed each time that it was read; run the task again in a quieter moment")]
    Restless,
    /// A write would not succeed now.
    #[error("not ready: {0}")]
    NotReady(Cow<'static, str>),
    /// No server answers at the metrics address.
    #[error("no server answers at {0}")]
    NoServer(SocketAddr, #[source] io::Error),
    /// The period has no day.
    #[error("the first day is after the last")]
    NoDays,
    /// No such patient occurs in the records or in the journal.
    #[error("no patient has or had this number")]
    NoPatient,
    /// The database could not be read or written.
    #[error("the database could not be read or written")]
    Store(#[from] StoreError),
    /// The clock of this machine is outside the years 1900 to 9999.
    #[error("the clock of this machine is outside the years 1900 to 9999")]
    Clock,
    /// A key could not be issued, rotated or revoked.
    #[error("{0}")]
    Key(KeyError),
    /// A key was issued, and standard output did not take it.
    #[error("a key was issued that nobody has seen: revoke {0}")]
    Unshown(KeyId, #[source] Box<Self>),
    /// Standard output leads nowhere, and the key is shown only once.
    #[error("standard output leads nowhere, and the key is shown only once: write it to a terminal, a pipe or a file")]
    Nowhere,
    /// A row of the file is not one that the service would write.
    #[error("the database is damaged")]
    Damage(#[from] Damage),
    /// The chain of the journal is broken, a value was changed, the records and the journal contradict each other, or
    /// the rules are broken.
    #[error("the database contradicts itself")]
    Contradiction(#[from] Box<Findings>),
    /// Another file could not be read.
    #[error("{} cannot be read", VisiblePath(.0))]
    Read(PathBuf, #[source] io::Error),
    /// Another file could not be written.
    #[error("{} cannot be written", VisiblePath(.0))]
    Write(PathBuf, #[source] io::Error),
    /// The output path is that of a database, or of a file beside one.
    #[error(
        "{} is a database, or belongs to one (-wal, -shm, -journal, .lock), and care-admin does not write there",
        VisiblePath(.0)
    )]
    OfDatabase(PathBuf),
    /// The output path is a symbolic link.
    #[error("{} is a symbolic link, and care-admin does not write through one", VisiblePath(.0))]
    Link(PathBuf),
    /// The file is no table.
    #[error("{} looks like {_1}, not like a table; unpack it, or save the table as CSV in UTF-8", VisiblePath(.0))]
    NoTable(PathBuf, &'static str),
    /// The file is a pipe or a device, and is to be read twice.
    #[error("{} is a pipe or a device, and the table is read twice; save it as a file", VisiblePath(.0))]
    ReadTwice(PathBuf),
    /// A line of the input is wrong.
    #[error("line {line} {what}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// The complaint, as the rest of a sentence.
        what: Cow<'static, str>,
    },
    /// Some rows of a CSV file are wrong. Each of them has been reported.
    #[error("{refused} of {rows} rows are invalid; {kept}")]
    Rows {
        /// The number of rejected rows.
        refused: u64,
        /// The number of all rows.
        rows: u64,
        /// The fate of the other rows.
        kept: &'static str,
    },
}

impl From<KeyError> for AdminError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Store(error) => error.into(),
            error => Self::Key(error),
        }
    }
}

impl From<CheckError> for AdminError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Damage(damage) => damage.into(),
            CheckError::Store(error) => error.into(),
        }
    }
}

impl From<AuditError> for AdminError {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Contradiction(findings) => findings.into(),
            AuditError::Store(error) => error.into(),
        }
    }
}
