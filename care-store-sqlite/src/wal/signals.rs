//! What the threads of one store tell each other.

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

/// Shared by all threads of one store.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    pub(crate) log: Log,
    pub(crate) figures: Figures,
    /// The snapshots of lists and of the journal.
    pub(crate) scans: Ages,
    /// The thread that takes the log over into the file.
    pub(crate) upkeep: OnceLock<Thread>,
    epoch: AtomicU32,
    commits: AtomicU64,
    stopped: AtomicBool,
    /// How many bytes the database may still grow by, as of less than a second ago.
    room: AtomicU64,
}

impl Signals {
    /// The epoch of the database, as it was less than a second ago. It changes only when another past is put behind what
    /// is there, so what is answered with an older one means the same.
    pub(crate) fn epoch(&self) -> Epoch {
        Epoch::new(self.epoch.load(Ordering::SeqCst))
    }

    pub(crate) fn set_epoch(&self, epoch: Epoch) {
        self.epoch.store(epoch.value(), Ordering::SeqCst);
    }

    /// How many commits are visible to a read that begins now, at least.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::SeqCst)
    }

    /// A commit is visible from now on. Said before anybody hears of it.
    pub(crate) fn committed(&self) {
        self.commits.fetch_add(1, Ordering::SeqCst);
    }

    /// The log is so long now; said behind every commit. Wakes the upkeep when there is enough for it to do.
    pub(crate) fn logged(&self, pages: u64) {
        self.log.set_pages(pages);
        if self.log.is_worth_a_copy()
            && let Some(upkeep) = self.upkeep.get()
        {
            upkeep.unpark();
        }
    }

    /// Whether nothing may be written any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// How many bytes the database may still grow by.
    pub(crate) fn room(&self) -> u64 {
        self.room.load(Ordering::Relaxed)
    }

    pub(crate) fn set_room(&self, bytes: u64) {
        self.room.store(bytes, Ordering::Relaxed);
    }

    /// Ends all writing until the file is opened again: what is on disk is no longer known.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    /// Ends all writing if a file is no longer the one at its path, and says so once. Returns whether it is.
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
