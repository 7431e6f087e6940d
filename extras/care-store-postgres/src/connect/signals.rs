//! The state that a store's threads share.

use std::{
    ops::RangeInclusive,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use care_core::store::{CommitNotifiers, Epoch, Seq};

use super::waiting::Holders;
use crate::base::figures::Figures;

/// Time for which a disk counts as full after it had no room for a write. Only a write of some size finds that out.
const FULL: Duration = Duration::from_secs(5);

/// The epoch, whether writing has stopped, and what this store committed last.
#[derive(Debug)]
pub(crate) struct Signals {
    epoch: AtomicU32,
    stopped: AtomicBool,
    /// When the disk of PostgreSQL last had no room for a write.
    filled: Mutex<Option<Instant>>,
    /// The entries that this store has committed without another store's entry in between.
    run: Mutex<Option<RangeInclusive<Seq>>>,
    /// The number of the last entry that is known to be durable, on the standby too where commits wait for one.
    settled: AtomicU64,
    pub(crate) figures: Arc<Figures>,
    pub(crate) holders: Holders,
    /// The services that are told of entries.
    pub(crate) notifiers: CommitNotifiers,
}

impl Signals {
    pub(crate) fn new(epoch: Epoch, figures: Arc<Figures>) -> Self {
        figures.writer.stopped(false);
        Self {
            epoch: AtomicU32::new(epoch.value()),
            stopped: AtomicBool::new(false),
            filled: Mutex::new(None),
            run: Mutex::new(None),
            settled: AtomicU64::new(0),
            figures,
            holders: Holders::default(),
            notifiers: CommitNotifiers::default(),
        }
    }

    pub(crate) fn epoch(&self) -> Epoch {
        Epoch::new(self.epoch.load(Ordering::Acquire))
    }

    pub(crate) fn set_epoch(&self, epoch: Epoch) {
        if self.epoch.swap(epoch.value(), Ordering::AcqRel) != epoch.value() {
            // The new epoch has other entries under the same numbers.
            self.settled.store(0, Ordering::Release);
        }
    }

    /// Stops writing until the store is opened again.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.figures.writer.stopped(true);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Notes that the disk had no room for a write.
    pub(crate) fn fill(&self) {
        *self.filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns whether the disk had no room for a write a moment ago.
    pub(crate) fn is_full(&self) -> bool {
        let filled = *self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        filled.is_some_and(|since| since.elapsed() < FULL)
    }

    /// Notes that everything up to this entry is durable, on the standby too where commits wait for one.
    pub(crate) fn settle(&self, last: Seq) {
        self.settled.fetch_max(last.value(), Ordering::AcqRel);
    }

    /// Returns whether everything up to this entry is known to be durable, on the standby too where commits wait for
    /// one.
    pub(crate) fn is_settled(&self, last: Seq) -> bool {
        last.value() <= self.settled.load(Ordering::Acquire)
    }

    /// Notes that this store has committed these entries.
    pub(crate) fn committed(&self, entries: RangeInclusive<Seq>) {
        self.settle(*entries.end());
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        *run = match run.take() {
            Some(before) if before.end().next() == *entries.start() => Some(*before.start()..=*entries.end()),
            _ => Some(entries),
        };
    }

    /// Returns whether this store committed the entry, and no other store has committed between it and this store's
    /// last one; `None` for an entry after those that the store knows it has committed.
    pub(crate) fn has_committed(&self, entry: Seq) -> Option<bool> {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        match &*run {
            Some(run) if entry <= *run.end() => Some(run.contains(&entry)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_entries_ends_with_an_entry_of_another_store() {
        let signals = Signals::new(Epoch::random(), Arc::default());
        let entries = |from, to| Seq::new(from)..=Seq::new(to);
        let asked = |entry| signals.has_committed(Seq::new(entry));
        assert_eq!(asked(0), None);
        signals.committed(entries(3, 4));
        signals.committed(entries(5, 5));
        assert_eq!([2, 3, 5, 6].map(asked), [Some(false), Some(true), Some(true), None]);
        signals.committed(entries(7, 8));
        assert_eq!([5, 6, 7, 8, 9].map(asked), [Some(false), Some(false), Some(true), Some(true), None]);
    }
}
