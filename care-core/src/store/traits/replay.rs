//! The errors of a replay.

use crate::{
    error::StoreError,
    store::{Entry, Seq},
};

/// The reason why entries were not replayed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReplayError {
    /// An entry is not the next one: entries are missing before it, or it is already in the journal.
    #[error("entry {found} comes where entry {expected} is due")]
    NotNext {
        /// The number of the next entry.
        expected: Seq,
        /// The number of the given entry.
        found: Seq,
    },
    /// An entry has no changes, which no decision commits.
    #[error("entry {0} changes nothing")]
    Empty(Seq),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ReplayError {
    /// Refuses entries that do not follow the store's last one, one by one. Stores call it within the transaction.
    ///
    /// # Errors
    /// The first error.
    pub fn unless_next(last: Seq, entries: &[Entry]) -> Result<(), Self> {
        let mut expected = last;
        for entry in entries {
            expected = expected.next();
            if entry.seq != expected {
                let found = entry.seq;
                return Err(Self::NotNext { expected, found });
            }
            if entry.is_empty() {
                return Err(Self::Empty(entry.seq));
            }
        }
        Ok(())
    }
}
