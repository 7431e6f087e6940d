//! The bound on the work of a search, for any text and any names.

use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
};

/// The characters that a search may still look at, and whether its caller still waits for it.
///
/// A character counts once for each typed word that it is compared with. A search that has spent all of them answers
/// what it has found, and says that there may be more.
pub struct SearchBudget<'w> {
    left: AtomicUsize,
    is_wanted: &'w (dyn Fn() -> bool + Sync),
}

impl SearchBudget<'_> {
    /// The characters that a search looks at.
    pub const CHARACTERS: usize = 200_000;

    /// Returns the budget of a search that is always wanted.
    pub const fn new() -> Self {
        Self { left: AtomicUsize::new(Self::CHARACTERS), is_wanted: &|| true }
    }

    /// Takes these characters. Returns whether they were left and the caller still waits; otherwise the search ends.
    pub fn spend(&self, characters: usize) -> bool {
        let left = self.left.load(Ordering::Relaxed).checked_sub(characters).filter(|_| (self.is_wanted)());
        self.left.store(left.unwrap_or_default(), Ordering::Relaxed);
        left.is_some()
    }

    /// Returns the number of characters that were looked at.
    pub fn spent(&self) -> usize {
        Self::CHARACTERS - self.left.load(Ordering::Relaxed)
    }
}

impl<'w> SearchBudget<'w> {
    /// Returns the budget of a search that ends once its caller no longer waits, which is asked between candidates.
    pub const fn while_wanted(is_wanted: &'w (dyn Fn() -> bool + Sync)) -> Self {
        Self { left: AtomicUsize::new(Self::CHARACTERS), is_wanted }
    }
}

impl Default for SearchBudget<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SearchBudget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchBudget").field("left", &self.left).finish_non_exhaustive()
    }
}
