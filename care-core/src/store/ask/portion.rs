//! The size of reads.

use crate::meter::{self, Work};

/// The size of one read of a list or of the journal: the first items within both bounds, and at least one.
///
/// ```
/// use care_core::store::Limit;
///
/// let page = Limit::items(50).bytes(1 << 20);
/// assert_eq!((page.items, page.bytes), (50, 1_048_576));
/// assert_eq!(Limit::from(50), Limit::items(50));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Limit {
    /// The highest number of items. With 0 there are none.
    pub items: usize,
    /// The highest number of their bytes together, without the first item. Each store measures its own form: texts in
    /// UTF-8 at least, and entries as JSON.
    pub bytes: usize,
}

/// The first items of a list, or of the rest of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Portion<T> {
    /// The items, in order.
    pub items: Vec<T>,
    /// Whether more items follow.
    pub more: bool,
}

/// A portion that is being filled. A store offers it one item after the other until it is full.
#[derive(Debug)]
pub struct Filling<T> {
    limit: Limit,
    taken: usize,
    portion: Portion<T>,
}

impl Limit {
    /// Returns this number of items, without a bound in bytes.
    pub const fn items(items: usize) -> Self {
        Self { items, bytes: usize::MAX }
    }

    /// Sets the bound in bytes.
    pub const fn bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    /// No bound, for lists that are known to be short.
    pub const ALL: Self = Self::items(usize::MAX);
}

impl From<usize> for Limit {
    fn from(items: usize) -> Self {
        Self::items(items)
    }
}

impl<T> Filling<T> {
    /// Returns an empty portion.
    pub const fn new(limit: Limit) -> Self {
        Self { limit, taken: 0, portion: Portion { items: Vec::new(), more: false } }
    }

    /// Returns whether the portion has a bound in bytes. Without one, stores need not measure their items.
    #[must_use]
    pub const fn has_bytes(&self) -> bool {
        self.limit.bytes < usize::MAX
    }

    /// Returns whether the next item, with this size in bytes, belongs to the portion. If not, the portion is complete,
    /// and more items follow.
    pub fn takes(&mut self, bytes: usize) -> bool {
        let taken = self.taken.saturating_add(bytes);
        let has_room = self.portion.items.is_empty() || taken <= self.limit.bytes;
        if self.portion.more || self.portion.items.len() >= self.limit.items || !has_room {
            self.portion.more = true;
            return false;
        }
        self.taken = taken;
        meter::count(Work::bytes(bytes));
        true
    }

    /// Adds the item that the portion takes.
    pub fn push(&mut self, item: T) {
        self.portion.items.push(item);
    }

    /// Returns the number of items that it can still take, plus one, which shows whether more follow; 0 when it is
    /// complete.
    pub fn wanted(&self) -> usize {
        match self.portion.more {
            true => 0,
            false => (self.limit.items - self.portion.items.len()).saturating_add(1),
        }
    }

    /// Returns the filled portion.
    pub fn finish(self) -> Portion<T> {
        self.portion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(limit: Limit, sizes: &[usize]) -> (Vec<usize>, bool) {
        let mut filling = Filling::new(limit);
        for size in sizes {
            if !filling.takes(*size) {
                break;
            }
            filling.push(*size);
        }
        let Portion { items, more } = filling.finish();
        (items, more)
    }

    #[test]
    fn a_portion_ends_at_either_bound_and_holds_one_item_at_least() {
        let sizes = [5, 3, 4];
        assert_eq!(filled(Limit::ALL, &sizes), (sizes.to_vec(), false));
        assert_eq!(filled(Limit::items(3), &sizes), (sizes.to_vec(), false));
        assert_eq!(filled(Limit::items(2), &sizes), (vec![5, 3], true));
        assert_eq!(filled(Limit::ALL.bytes(8), &sizes), (vec![5, 3], true));
        assert_eq!(filled(Limit::ALL.bytes(1), &sizes), (vec![5], true));
        assert_eq!(filled(Limit::items(0), &sizes), (vec![], true));
        assert_eq!(filled(Limit::items(0), &[]), (vec![], false));
    }

    #[test]
    fn it_says_how_many_it_wants() {
        let mut filling = Filling::new(Limit::items(2));
        assert_eq!(filling.wanted(), 3);
        assert!(filling.takes(1));
        filling.push(());
        assert_eq!(filling.wanted(), 2);
        assert_eq!(Filling::<()>::new(Limit::ALL).wanted(), usize::MAX);
    }
}
