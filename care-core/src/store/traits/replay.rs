//! The errors of a replay.

use crate::{
    error::StoreError,
    store::{Entry, Head, Seq},
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
    /// An entry does not follow the one before it in the chain: one of the two is not as it was written.
    #[error("entry {0} does not follow the one before it in the chain")]
    Unlinked(Seq),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ReplayError {
    /// Refuses entries that do not follow the store's last one, one by one and link by link. Stores call it within the
    /// transaction.
    ///
    /// # Errors
    /// The first error.
    pub fn unless_next(last: Head, entries: &[Entry]) -> Result<(), Self> {
        let mut last = last;
        for entry in entries {
            let expected = last.seq.next();
            if entry.seq != expected {
                let found = entry.seq;
                return Err(Self::NotNext { expected, found });
            }
            if entry.is_empty() {
                return Err(Self::Empty(entry.seq));
            }
            if entry.link_after(&last.link)? != entry.link {
                return Err(Self::Unlinked(entry.seq));
            }
            last = entry.head();
        }
        Ok(())
    }
}
