//! The errors of opening a database.

use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

use care_core::model::{Visible, VisiblePath};

use super::connect::ConnectError;

/// The reason why a database was not opened: one sentence that names the file. The file is unchanged.
#[derive(Debug)]
pub struct OpenError {
    path: PathBuf,
    refusal: Refusal,
}

/// The kind of fault for which a database is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum OpenErrorKind {
    /// Another process has it open, and the two do not share it.
    #[error("is in use by another process")]
    InUse,
    /// It is a directory or a device.
    #[error("is not a file")]
    NotAFile,
    /// It is a symbolic link.
    #[error("is a symbolic link, which the store does not follow")]
    Link,
    /// It is empty.
    #[error("is an empty file, not a database")]
    Empty,
    /// It is not a database, or one of another program.
    #[error("is not a database of this service")]
    Foreign,
    /// Its schema holds an object of others, or lacks one of ours, or has it in another form; the message names it.
    #[error("has a schema that is not this service's")]
    Altered,
    /// It keeps texts in another encoding than UTF-8, which would order them differently.
    #[error("does not use the encoding UTF-8")]
    Encoding,
    /// A newer version of this service made it.
    #[error("was made by a newer version of this service")]
    Newer,
    /// It is damaged.
    #[error("is damaged")]
    Damaged,
    /// A log or a journal stands beside it, and it is a backup, which has none: SQLite would take it for a part of it.
    #[error("has a log or a journal beside it (-wal, -journal), and a backup has none")]
    Logged,
    /// Another file took its place while it was opened or copied.
    #[error("was replaced by another file meanwhile")]
    Exchanged,
    /// It is in its place, and the disk did not confirm that; the source has the error.
    #[error("is in its place, but may be lost in a power cut")]
    Unconfirmed,
    /// It is the database of which a copy was to replace it.
    #[error("is the one that is copied, and is not replaced by its copy")]
    Source,
    /// A file already exists there.
    #[error("already exists")]
    Exists,
    /// The system refuses to read, write or create it; the source has the error.
    #[error("cannot be read, written or created")]
    Inaccessible,
    /// This SQLite, or the file system, lacks a feature on which the store relies; the source names it.
    #[error("cannot be kept safely here")]
    Unsupported,
}

impl OpenError {
    /// Returns the kind of the fault.
    pub const fn kind(&self) -> OpenErrorKind {
        self.refusal.kind
    }

    /// Returns the path as the caller gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { kind, more, .. } = &self.refusal;
        write!(f, "the database {} {kind}{more}", VisiblePath(&self.path))
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.refusal.source.as_deref()?;
        Some(source)
    }
}

/// A refusal without the caller's name of the file.
#[derive(Debug)]
pub(crate) struct Refusal {
    kind: OpenErrorKind,
    /// The rest of the sentence that the kind begins.
    more: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Refusal {
    /// Returns the refusal of a damaged file, in SQLite's words, which name tables and pages and never a value.
    pub(crate) fn damaged(verdict: String) -> Self {
        Self::because(OpenErrorKind::Damaged, verdict)
    }

    /// Returns the refusal of a schema in which an object of ours is absent or different.
    pub(crate) fn altered(name: &str) -> Self {
        let more = format!(": {} is not as it should be", Visible(name));
        Self { more, ..OpenErrorKind::Altered.into() }
    }

    /// Returns the refusal of a schema that holds these objects of others, each a kind and a name.
    pub(crate) fn shared(objects: &[(String, String)]) -> Self {
        let objects = objects.iter().map(|(kind, name)| format!("the {kind} {}", Visible(name)));
        let objects = objects.collect::<Vec<_>>().join(", ");
        let more = format!(
            ": it holds {objects}; the file is the service's alone, so move what is yours to a file of your own (for a \
             table, with .dump in the program sqlite3) and drop it here"
        );
        Self { more, ..OpenErrorKind::Altered.into() }
    }

    fn because(kind: OpenErrorKind, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..kind.into() }
    }

    /// Returns the error for a replacement that is not known to be on disk.
    pub(crate) fn unconfirmed(error: std::io::Error) -> Self {
        Self::because(OpenErrorKind::Unconfirmed, error)
    }

    pub(crate) fn of(self, path: &Path) -> OpenError {
        OpenError { path: path.to_owned(), refusal: self }
    }
}

impl From<OpenErrorKind> for Refusal {
    fn from(kind: OpenErrorKind) -> Self {
        Self { kind, more: String::new(), source: None }
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        Self::because(OpenErrorKind::Inaccessible, error)
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
        Self::because(kind, error)
    }
}

impl From<ConnectError> for Refusal {
    fn from(error: ConnectError) -> Self {
        let kind = match error {
            ConnectError::Sqlite(error) => return error.into(),
            ConnectError::ReadOnly => OpenErrorKind::Inaccessible,
            ConnectError::Setting(_) | ConnectError::TooOld => OpenErrorKind::Unsupported,
        };
        Self::because(kind, error)
    }
}
