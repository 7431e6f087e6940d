//! The write-ahead log: its state, which the threads of one store share, and its checkpoints, by SQL, because not every
//! rusqlite that the store takes has a function for them.

use std::sync::{
    Mutex, MutexGuard, PoisonError, TryLockError,
    atomic::{AtomicU64, Ordering},
};

use rusqlite::{Connection, Error, ffi};

/// The number of uncopied pages that are worth a copy in the background.
const WORTHWHILE: u64 = 200;
/// The number of pages that delay a commit by hardly more than a sync.
pub(crate) const FEW: u64 = 100;

/// The length of the log, the number of copied pages, and the lock for copying.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pages: AtomicU64,
    copied: AtomicU64,
    ready: AtomicU64,
    copying: Mutex<()>,
}

impl Log {
    /// Returns the number of pages in the log.
    pub(crate) fn pages(&self) -> u64 {
        self.pages.load(Ordering::Relaxed)
    }

    /// Sets the length of the log, after every commit.
    pub(crate) fn set_pages(&self, pages: u64) {
        if pages < self.pages.swap(pages, Ordering::Relaxed) {
            // The log was started over.
            self.set_copied(0);
        }
    }

    /// Returns the number of pages that are only in the log, as far as is known.
    pub(crate) fn left(&self) -> u64 {
        self.pages().saturating_sub(self.copied.load(Ordering::Relaxed))
    }

    /// Sets the number of copied pages, and returns the earlier one.
    pub(crate) fn set_copied(&self, copied: u64) -> u64 {
        self.copied.swap(copied, Ordering::Relaxed)
    }

    /// Returns whether enough pages are left for a copy.
    pub(crate) fn is_worth_a_copy(&self) -> bool {
        self.left() >= if self.is_ready() { FEW } else { WORTHWHILE }
    }

    /// Returns whether the log is to be started over as soon as few pages are left to copy.
    pub(crate) fn is_ready(&self) -> bool {
        self.pages() >= self.ready.load(Ordering::Relaxed)
    }

    /// Sets the length from which the log is ready to be started over.
    pub(crate) fn set_ready(&self, pages: u64) {
        self.ready.store(pages, Ordering::Relaxed);
    }

    /// Waits for the right to copy. SQLite would refuse a second copier instead of letting it wait.
    pub(crate) fn copying(&self) -> MutexGuard<'_, ()> {
        self.copying.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the right to copy, or `None` while another thread copies.
    pub(crate) fn try_copying(&self) -> Option<MutexGuard<'_, ()>> {
        match self.copying.try_lock() {
            Ok(right) => Some(right),
            Err(TryLockError::Poisoned(right)) => Some(right.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// A kind of checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checkpoint {
    /// Copies what it can without waiting for others.
    Passive,
    /// Copies everything, and lets the next commit start the log over.
    Restart,
    /// Copies everything, and empties the log.
    Truncate,
}

impl Checkpoint {
    /// Runs the checkpoint, and returns the number of the log's pages that are in the file then.
    ///
    /// # Errors
    /// The code of a busy database when another connection prevents it, and SQLite's errors.
    pub(crate) fn run(self, conn: &Connection) -> rusqlite::Result<u64> {
        let mut checkpoint = conn.prepare_cached(match self {
            Self::Passive => "PRAGMA wal_checkpoint(PASSIVE)",
            Self::Restart => "PRAGMA wal_checkpoint(RESTART)",
            Self::Truncate => "PRAGMA wal_checkpoint(TRUNCATE)",
        })?;
        let (is_busy, copied): (bool, i64) = checkpoint.query_row([], |row| Ok((row.get(0)?, row.get(2)?)))?;
        match is_busy {
            true => Err(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)),
            false => Ok(u64::try_from(copied).unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_copied_counts_until_the_log_is_started_over() {
        let log = Log::default();
        log.set_pages(5);
        log.set_copied(3);
        log.set_pages(7);
        assert_eq!((log.pages(), log.left()), (7, 4));
        log.set_ready(7);
        assert!(log.is_ready() && !log.is_worth_a_copy());
        log.set_pages(1);
        assert_eq!((log.pages(), log.left()), (1, 1));
        assert!(!log.is_ready());
    }

    #[test]
    fn less_is_worth_a_copy_when_the_log_is_to_be_started_over() {
        let log = Log::default();
        log.set_ready(1000);
        log.set_pages(WORTHWHILE - 1);
        assert!(!log.is_worth_a_copy());
        log.set_pages(WORTHWHILE);
        assert!(log.is_worth_a_copy());
        log.set_pages(1000);
        log.set_copied(1000 - FEW);
        assert!(log.is_worth_a_copy());
        log.set_copied(1001 - FEW);
        assert!(!log.is_worth_a_copy());
    }

    #[test]
    fn one_copies_at_a_time() {
        let log = Log::default();
        let right = log.copying();
        assert!(log.try_copying().is_none());
        drop(right);
        assert!(log.try_copying().is_some());
    }
}
