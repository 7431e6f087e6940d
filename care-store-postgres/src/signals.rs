//! The signals between the threads of a store.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use care_core::store::Epoch;

/// The epoch, and whether writing has stopped.
#[derive(Debug)]
pub(crate) struct Signals {
    epoch: AtomicU32,
    stopped: AtomicBool,
}

impl Signals {
    pub(crate) const fn new(epoch: Epoch) -> Self {
        Self { epoch: AtomicU32::new(epoch.value()), stopped: AtomicBool::new(false) }
    }

    pub(crate) fn epoch(&self) -> Epoch {
        Epoch::new(self.epoch.load(Ordering::Acquire))
    }

    pub(crate) fn set_epoch(&self, epoch: Epoch) {
        self.epoch.store(epoch.value(), Ordering::Release);
    }

    /// Ends writing until the store is opened again.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }
}
