//! The shared state of a store's threads.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    thread::Thread,
    time::{Duration, Instant},
};

use care_core::store::{CommitNotifiers, Epoch, Seq};

use super::{figures::Figures, log::Log};

/// The state that all threads of one store share.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    pub(crate) log: Log,
    pub(crate) figures: Figures,
    /// The snapshots of lists and of the journal.
    pub(crate) scans: Ages,
    /// The thread that copies the log into the file.
    pub(crate) upkeep: OnceLock<Thread>,
    /// The services that are told of entries.
    pub(crate) notifiers: CommitNotifiers,
    epoch: AtomicU32,
    commits: AtomicU64,
    /// The newest entry that any connection has seen.
    newest: AtomicU64,
    stopped: AtomicBool,
    /// The number of bytes by which the database may still grow, at most a second old.
    room: AtomicU64,
}

impl Signals {
    /// Returns the epoch of the database, at most a second old. It changes only when entries of another past are added
    /// after the present ones, so an answer with an older one is still right.
    pub(crate) fn epoch(&self) -> Epoch {
        Epoch::new(self.epoch.load(Ordering::SeqCst))
    }

    pub(crate) fn set_epoch(&self, epoch: Epoch) {
        self.epoch.store(epoch.value(), Ordering::SeqCst);
    }

    /// Returns the number of commits that are visible to a read that begins now, at least.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::SeqCst)
    }

    /// Notes that a commit is visible, before it is answered.
    pub(crate) fn committed(&self) {
        self.commits.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the newest entry that any connection has seen. Each read that begins now must see it.
    pub(crate) fn newest(&self) -> Seq {
        Seq::new(self.newest.load(Ordering::SeqCst))
    }

    /// Notes the last entry that a connection sees, before it answers. Another process may have written it, and no
    /// later answer may come from before it.
    pub(crate) fn sees(&self, last: Seq) {
        self.newest.fetch_max(last.value(), Ordering::SeqCst);
    }

    /// Sets the length of the log after a commit, and wakes the upkeep when there is enough to copy.
    pub(crate) fn logged(&self, pages: u64) {
        self.log.set_pages(pages);
        if self.log.is_worth_a_copy()
            && let Some(upkeep) = self.upkeep.get()
        {
            upkeep.unpark();
        }
    }

    /// Returns whether writing has ended.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Returns the number of bytes by which the database may still grow.
    pub(crate) fn room(&self) -> u64 {
        self.room.load(Ordering::Relaxed)
    }

    pub(crate) fn set_room(&self, bytes: u64) {
        self.room.store(bytes, Ordering::Relaxed);
    }

    /// Ends all writing until the file is opened again, because the content of the disk is unknown.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    /// Ends all writing if a file is missing, and logs that once. Returns whether writing has ended for it.
    pub(crate) fn stop_unless_in_place(&self, missing: Option<&Path>) -> bool {
        if let Some(path) = missing
            && !self.stopped.swap(true, Ordering::SeqCst)
        {
            let file = path.display();
            tracing::error!(%file, "the file was moved, removed or exchanged; no more writes until a restart");
        }
        missing.is_none()
    }
}

/// The snapshots that long reads hold.
#[derive(Debug, Default)]
pub(crate) struct Ages {
    held: Mutex<BTreeSet<(Instant, u64)>>,
}

/// The place of a snapshot among them, until it is dropped.
#[derive(Debug)]
pub(crate) struct Age<'a> {
    ages: &'a Ages,
    key: (Instant, u64),
}

impl Ages {
    /// Notes a snapshot that is held from now on.
    pub(crate) fn begin(&self) -> Age<'_> {
        let mut held = self.held();
        // A number distinguishes two snapshots of one instant.
        let key = (Instant::now(), held.last().map_or(0, |(_, number)| number + 1));
        held.insert(key);
        Age { ages: self, key }
    }

    /// Returns the age of the oldest snapshot, zero when there is none.
    pub(crate) fn oldest(&self) -> Duration {
        self.held().first().map_or(Duration::ZERO, |(since, _)| since.elapsed())
    }

    fn held(&self) -> MutexGuard<'_, BTreeSet<(Instant, u64)>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Age<'_> {
    fn drop(&mut self) {
        self.ages.held().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn the_oldest_snapshot_counts_until_it_ends() {
        let ages = Ages::default();
        assert_eq!(ages.oldest(), Duration::ZERO);
        let first = ages.begin();
        thread::sleep(Duration::from_millis(20));
        let second = ages.begin();
        let oldest = ages.oldest();
        assert!(oldest >= Duration::from_millis(20), "{oldest:?}");
        drop(first);
        assert!(ages.oldest() < oldest);
        drop(second);
        assert_eq!(ages.oldest(), Duration::ZERO);
    }
}
