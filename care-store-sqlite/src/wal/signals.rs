//! The shared state of a store's threads.

use std::{
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    thread::Thread,
};

use care_core::store::Epoch;

use super::log::Log;
use crate::{ages::Ages, figures::Figures};

/// The state that all threads of one store share.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    pub(crate) log: Log,
    pub(crate) figures: Figures,
    /// The snapshots of lists and of the journal.
    pub(crate) scans: Ages,
    /// The thread that copies the log into the file.
    pub(crate) upkeep: OnceLock<Thread>,
    epoch: AtomicU32,
    commits: AtomicU64,
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
