//! The ages of the snapshots that reads hold.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

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
