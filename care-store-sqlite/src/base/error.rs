//! Internal errors, and their meaning for callers.

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::{Damage, rows::RowError},
};
use rusqlite::{ErrorCode, ffi};

/// The reason why a statement failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("SQLite reported an error")]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Row(#[from] RowError),
    /// The finding of a check.
    #[error(transparent)]
    Damage(#[from] Damage),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the database was migrated to a newer version")]
    Newer,
    #[error("a decision panicked")]
    Panicked,
}

impl Fault {
    /// Returns the meaning of the error before a commit was tried: nothing was written.
    pub(crate) fn kind(&self) -> StoreErrorKind {
        match self.code() {
            Some((ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed, _)) => {
                StoreErrorKind::Busy
            }
            // The second one is a full disk as well, when the index of the log has to grow.
            Some((ErrorCode::DiskFull, _) | (_, ffi::SQLITE_IOERR_SHMSIZE)) => StoreErrorKind::Full,
            _ => StoreErrorKind::Broken,
        }
    }

    /// Returns the meaning of the error when `COMMIT` returned it.
    ///
    /// When a commit frame could not be written because of a full disk or a lock, there is no commit, and SQLite has
    /// rolled back. After other errors the frame may be in the log, and the next recovery may or may not find it.
    pub(crate) fn kind_at_commit(&self) -> StoreErrorKind {
        match self.code() {
            Some((ErrorCode::DiskFull, _)) => StoreErrorKind::Full,
            Some((ErrorCode::DatabaseBusy, _)) => StoreErrorKind::Busy,
            Some((ErrorCode::ConstraintViolation, _)) => StoreErrorKind::Broken,
            _ => StoreErrorKind::Unknown,
        }
    }

    /// Returns whether a lock of another connection caused the error.
    pub(crate) fn is_busy(&self) -> bool {
        self.kind() == StoreErrorKind::Busy
    }

    /// Returns whether the disk did not confirm a write. The kernel may have dropped it, and a second sync would not
    /// reveal that.
    pub(crate) fn is_failed_sync(&self) -> bool {
        matches!(self.code(), Some((_, ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC)))
    }

    fn code(&self) -> Option<(ErrorCode, i32)> {
        match self {
            Self::Sqlite(rusqlite::Error::SqliteFailure(error, _)) => Some((error.code, error.extended_code)),
            _ => None,
        }
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        let kind = fault.kind();
        if kind == StoreErrorKind::Broken {
            tracing::error!(error = %fault, cause = source(&fault), "the store failed");
        }
        Self::new(kind, fault)
    }
}

/// Returns the text of an error's source, for logs.
pub(crate) fn source(error: &dyn std::error::Error) -> String {
    error.source().map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(code: i32) -> Fault {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into()
    }

    #[test]
    fn before_a_commit_nothing_was_written() {
        for (code, kind) in [
            (ffi::SQLITE_BUSY, StoreErrorKind::Busy),
            (ffi::SQLITE_BUSY_SNAPSHOT, StoreErrorKind::Busy),
            (ffi::SQLITE_PROTOCOL, StoreErrorKind::Busy),
            (ffi::SQLITE_FULL, StoreErrorKind::Full),
            (ffi::SQLITE_IOERR_SHMSIZE, StoreErrorKind::Full),
            (ffi::SQLITE_IOERR_READ, StoreErrorKind::Broken),
            (ffi::SQLITE_IOERR_FSYNC, StoreErrorKind::Broken),
            (ffi::SQLITE_CORRUPT, StoreErrorKind::Broken),
            (ffi::SQLITE_CONSTRAINT_CHECK, StoreErrorKind::Broken),
        ] {
            assert_eq!(fault(code).kind(), kind, "{code}");
        }
    }

    #[test]
    fn only_a_commit_that_certainly_failed_is_known() {
        for (code, kind) in [
            (ffi::SQLITE_FULL, StoreErrorKind::Full),
            (ffi::SQLITE_BUSY, StoreErrorKind::Busy),
            (ffi::SQLITE_IOERR_FSYNC, StoreErrorKind::Unknown),
            (ffi::SQLITE_IOERR_WRITE, StoreErrorKind::Unknown),
            (ffi::SQLITE_IOERR_SHMSIZE, StoreErrorKind::Unknown),
            (ffi::SQLITE_NOMEM, StoreErrorKind::Unknown),
            (ffi::SQLITE_CORRUPT, StoreErrorKind::Unknown),
        ] {
            assert_eq!(fault(code).kind_at_commit(), kind, "{code}");
        }
        assert!(fault(ffi::SQLITE_IOERR_FSYNC).is_failed_sync());
        assert!(!fault(ffi::SQLITE_IOERR_WRITE).is_failed_sync());
    }
}
