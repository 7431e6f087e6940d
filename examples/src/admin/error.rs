//! Why a task was not done.

use std::{borrow::Cow, io, path::PathBuf};

use care_core::{
    audit::{AuditError, Contradiction},
    error::StoreError,
    keys::KeyError,
};
use care_store_sqlite::{CheckError, Damage, OpenError};

/// Why a task was not done, or not wholly.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The database is refused.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// There is no such database, and this task does not make one.
    #[error("the database {} is not there", .0.display())]
    Absent(PathBuf),
    /// The file is there, and was not to be replaced.
    #[error("{} is there already; --overwrite would replace it", .0.display())]
    Exists(PathBuf),
    /// The backup was not put in the place of the database, and nothing there has changed.
    #[error("nothing was restored, and {} is as it was", .0.display())]
    NotRestored(PathBuf, #[source] Box<Self>),
    /// A person is erased from records and journal, and not yet from free pages and the log.
    #[error("traces may be left in free pages of the file and in its log; run it again")]
    Traces(#[source] StoreError),
    /// There is nobody to erase.
    #[error("no patient has or had this number")]
    NoPatient,
    /// The database could not be read or written.
    #[error("the database could not be read or written")]
    Store(#[from] StoreError),
    /// A key was not issued, rotated or revoked.
    #[error("{0}")]
    Key(KeyError),
    /// Something in the file is not as the service writes it.
    #[error("the database is damaged")]
    Damage(#[from] Damage),
    /// The records and the journal contradict each other or the rules.
    #[error("the database contradicts itself")]
    Contradiction(#[from] Contradiction),
    /// Another file could not be read.
    #[error("{} cannot be read", .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// Another file could not be written.
    #[error("{} cannot be written", .0.display())]
    Write(PathBuf, #[source] io::Error),
    /// A file would be written through a link.
    #[error("{} is a link, through which nothing is written", .0.display())]
    Link(PathBuf),
    /// A line of the input is at fault. Everything before it stands.
    #[error("line {line} {what}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        what: Cow<'static, str>,
    },
    /// Some rows of a CSV file are at fault; each has been reported.
    #[error("{refused} of {rows} rows are at fault; {kept}")]
    Rows {
        /// How many.
        refused: u64,
        /// Of how many.
        rows: u64,
        /// What became of the others.
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
            AuditError::Contradiction(contradiction) => contradiction.into(),
            AuditError::Store(error) => error.into(),
        }
    }
}
