//! Why entries are not replayed.

use super::{Entry, Seq};
use crate::error::StoreError;

/// Why entries were not replayed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReplayError {
    /// An entry is not the next one: others are missing before it, or it is there already.
    #[error("entry {found} comes where entry {expected} is due")]
    NotNext {
        /// The entry that is due.
        expected: Seq,
        /// The entry that came.
        found: Seq,
    },
    /// An entry changes nothing and notes no read, as none that was ever committed.
    #[error("entry {0} changes nothing")]
    Empty(Seq),
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ReplayError {
    /// Refuses entries that do not follow the store's last one, one by one. For stores, within the transaction.
    ///
    /// # Errors
    /// What is wrong with the first that does not.
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
