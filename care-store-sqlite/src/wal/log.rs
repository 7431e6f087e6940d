//! The write-ahead log, as the threads of one store know it.

use std::sync::{
    Mutex, MutexGuard, PoisonError, TryLockError,
    atomic::{AtomicU64, Ordering},
};

/// So many pages that are only in the log are worth a copy in the background.
const WORTHWHILE: u64 = 200;
/// So few pages hold up commits by hardly more than a sync.
pub(crate) const FEW: u64 = 100;

/// How long the log is, how much of it is in the database file already, and who takes it over.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pages: AtomicU64,
    copied: AtomicU64,
    ready: AtomicU64,
    copying: Mutex<()>,
}

impl Log {
    /// How many pages it holds.
    pub(crate) fn pages(&self) -> u64 {
        self.pages.load(Ordering::Relaxed)
    }

    /// Said after every commit.
    pub(crate) fn set_pages(&self, pages: u64) {
        if pages < self.pages.swap(pages, Ordering::Relaxed) {
            // It was started over.
            self.set_copied(0);
        }
    }

    /// How many pages only the log has, as far as is known.
    pub(crate) fn left(&self) -> u64 {
        self.pages().saturating_sub(self.copied.load(Ordering::Relaxed))
    }

    /// How many are in the file; answers how many were before.
    pub(crate) fn set_copied(&self, copied: u64) -> u64 {
        self.copied.swap(copied, Ordering::Relaxed)
    }

    /// Whether so much is left to copy that somebody should.
    pub(crate) fn is_worth_a_copy(&self) -> bool {
        self.left() >= if self.is_ready() { FEW } else { WORTHWHILE }
    }

    /// Whether it is to be started over as soon as little is left to copy.
    pub(crate) fn is_ready(&self) -> bool {
        self.pages() >= self.ready.load(Ordering::Relaxed)
    }

    /// At so many pages it will be.
    pub(crate) fn set_ready(&self, pages: u64) {
        self.ready.store(pages, Ordering::Relaxed);
    }

    /// The right to copy. SQLite turns a second one away instead of letting it wait.
    pub(crate) fn copying(&self) -> MutexGuard<'_, ()> {
        self.copying.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, unless somebody copies now.
    pub(crate) fn try_copying(&self) -> Option<MutexGuard<'_, ()>> {
        match self.copying.try_lock() {
            Ok(right) => Some(right),
            Err(TryLockError::Poisoned(right)) => Some(right.into_inner()),
            Err(TryLockError::WouldBlock) => None,
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
