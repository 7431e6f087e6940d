//! Why a database is refused.

use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

use crate::connect::ConnectError;

/// Why a database was not opened: one sentence that names the file. The file is as it was.
#[derive(Debug)]
pub struct OpenError {
    path: PathBuf,
    kind: OpenErrorKind,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What is wrong with a database that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum OpenErrorKind {
    /// Another process has it open, and they do not share it.
    #[error("is in use by another process")]
    InUse,
    /// It is a directory or a device.
    #[error("is not a file")]
    NotAFile,
    /// It is a link.
    #[error("is a link, through which no file is opened")]
    Link,
    /// It holds nothing.
    #[error("is an empty file, not a database")]
    Empty,
    /// It is something else, or a database of something else.
    #[error("is not a database of this service")]
    Foreign,
    /// Its schema holds something that this service did not put there, or lacks something; the source says what.
    #[error("has a schema that is not this service's")]
    Altered,
    /// A version before 0.1.0 made it, whose schema was still changed in place.
    #[error(
        "was made before version 0.1.0: export it with the care-admin that goes with it, and import that into a new one"
    )]
    Outdated,
    /// A newer version of this service made it.
    #[error("was made by a newer version of this service")]
    Newer,
    /// It does not hold together.
    #[error("is damaged")]
    Damaged,
    /// Another file took its place while it was opened or copied.
    #[error("was exchanged for another file meanwhile")]
    Exchanged,
    /// It is in its place, and the disk did not confirm that; the source says why.
    #[error("is in its place, but may be lost with the power")]
    Unconfirmed,
    /// Something is there already.
    #[error("is there already")]
    Exists,
    /// The system does not let it be read, written or created; the source says why.
    #[error("cannot be read, written or created")]
    Inaccessible,
    /// This SQLite, or the file system, does not do what the store relies on; the source says what.
    #[error("cannot be kept safely here")]
    Unsupported,
}

impl OpenError {
    /// What is wrong with it.
    pub const fn kind(&self) -> OpenErrorKind {
        self.kind
    }

    /// The file, as the caller named it.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the database {} {}", self.path.display(), self.kind)
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}

/// A refusal that does not know yet how the caller names the file.
#[derive(Debug)]
pub(crate) struct Refusal {
    kind: OpenErrorKind,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Refusal {
    /// The file is damaged, in SQLite's own words, which name tables and pages and never a value.
    pub(crate) fn damaged(verdict: String) -> Self {
        Self { kind: OpenErrorKind::Damaged, source: Some(verdict.into()) }
    }

    /// The schema differs from this service's in this name.
    pub(crate) fn altered(name: &str) -> Self {
        let what = format!("{} is not as it should be", name.escape_debug());
        Self { kind: OpenErrorKind::Altered, source: Some(what.into()) }
    }

    /// What was put in its place is not known to be on disk.
    pub(crate) fn unconfirmed(error: std::io::Error) -> Self {
        Self { kind: OpenErrorKind::Unconfirmed, source: Some(error.into()) }
    }

    pub(crate) fn of(self, path: &Path) -> OpenError {
        OpenError { path: path.to_owned(), kind: self.kind, source: self.source }
    }
}

impl From<OpenErrorKind> for Refusal {
    fn from(kind: OpenErrorKind) -> Self {
        Self { kind, source: None }
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        Self { kind: OpenErrorKind::Inaccessible, source: Some(error.into()) }
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::{ErrorCode, ffi::SQLITE_IOERR_SHORT_READ};
        let found = error.sqlite_error();
        let kind = match found.map(|found| (found.code, found.extended_code)) {
            Some((ErrorCode::NotADatabase, _)) => OpenErrorKind::Foreign,
            Some((ErrorCode::DatabaseCorrupt, _) | (_, SQLITE_IOERR_SHORT_READ)) => OpenErrorKind::Damaged,
            Some((ErrorCode::DatabaseBusy, _)) => OpenErrorKind::InUse,
            _ => OpenErrorKind::Inaccessible,
        };
        Self { kind, source: Some(error.into()) }
    }
}

impl From<ConnectError> for Refusal {
    fn from(error: ConnectError) -> Self {
        let kind = match error {
            ConnectError::Sqlite(error) => return error.into(),
            ConnectError::ReadOnly => OpenErrorKind::Inaccessible,
            ConnectError::Setting(_) | ConnectError::TooOld => OpenErrorKind::Unsupported,
        };
        Self { kind, source: Some(error.into()) }
    }
}
