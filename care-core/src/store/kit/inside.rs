//! The mark of a thread that polls the use cases of one commit. The thread holds the store's transaction meanwhile, so
//! a store that is asked on it would wait for itself.

use std::cell::Cell;

use crate::error::{StoreError, StoreErrorKind};

thread_local! {
    static POLLING: Cell<Polling> = const { Cell::new(Polling::Nothing) };
}

/// The work of this thread, as far as it matters to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Polling {
    /// Anything else.
    Nothing,
    /// The use cases of one commit.
    UseCases,
    /// The use cases of one commit, which have asked a store.
    Refused,
}

/// The step inside one commit that no store can do, as the source of an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misuse {
    #[error("use cases in one commit asked a store other than that of the service that they were given")]
    OtherStore,
    #[error("use cases in one commit awaited something other than the service that they were given")]
    Awaited,
    #[error("use cases in one commit panicked, as what needs an async runtime does where there is none: {0}")]
    Panicked(String),
    #[error("use cases in one commit asked for a transaction of their own, as an erasure or another commit needs it")]
    OwnTransaction,
    #[error("the service of one commit was used after the commit")]
    Ended,
}

impl From<Misuse> for StoreError {
    fn from(misuse: Misuse) -> Self {
        Self::new(StoreErrorKind::Unsupported, misuse)
    }
}

/// Refuses to be asked by use cases in one commit, which have a service of their own. A store calls this first in each
/// method, before it takes a lock or a place in a queue. Other threads are never refused.
///
/// # Errors
/// [`StoreErrorKind::Unsupported`].
pub fn unless_inside_a_commit() -> Result<(), StoreError> {
    match POLLING.get() {
        Polling::Nothing => Ok(()),
        Polling::UseCases | Polling::Refused => {
            POLLING.set(Polling::Refused);
            Err(Misuse::OtherStore.into())
        }
    }
}

/// Polls use cases under the mark.
///
/// # Errors
/// [`StoreErrorKind::Unsupported`] when a store was asked meanwhile, whatever the use cases have made of its refusal.
pub(crate) fn poll_inside<T>(poll: impl FnOnce() -> T) -> Result<T, StoreError> {
    /// Takes the mark back, also after a panic.
    struct Mark(Polling);
    impl Drop for Mark {
        fn drop(&mut self) {
            POLLING.set(self.0);
        }
    }
    let _before = Mark(POLLING.replace(Polling::UseCases));
    let polled = poll();
    if POLLING.get() == Polling::Refused { Err(Misuse::OtherStore.into()) } else { Ok(polled) }
}

#[cfg(test)]
mod tests {
    use std::{panic::catch_unwind, thread};

    use super::*;

    #[test]
    fn the_mark_is_of_one_thread_and_of_one_poll() {
        assert!(unless_inside_a_commit().is_ok());
        let other = || thread::spawn(unless_inside_a_commit).join();
        assert!(poll_inside(|| assert!(matches!(other(), Ok(Ok(()))))).is_ok());
        assert!(poll_inside(|| drop(unless_inside_a_commit())).is_err());
        assert!(catch_unwind(|| drop(poll_inside(|| panic!("planted")))).is_err());
        assert!(unless_inside_a_commit().is_ok());
    }
}
