//! How much is read at once.

/// How much of a list or of the journal is read at once: the first items, as far as both bounds allow, and one at
/// least.
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
    /// How many items there may be. With 0 there is none.
    pub items: usize,
    /// How many bytes they may take together, the first aside. Each store measures what it stores: texts in UTF-8 at
    /// least, and entries as JSON.
    pub bytes: usize,
}

/// The first items of a list, or of the rest of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Portion<T> {
    /// The items, in order.
    pub items: Vec<T>,
    /// Whether more follow after the last of them.
    pub more: bool,
}

/// A portion in the making, for stores: it is offered one item after the other until it is full.
#[derive(Debug)]
pub struct Filling<T> {
    limit: Limit,
    taken: usize,
    portion: Portion<T>,
}

impl Limit {
    /// Returns this many items, however large they are.
    pub const fn items(items: usize) -> Self {
        Self { items, bytes: usize::MAX }
    }

    /// Sets the same number of items, of this many bytes together.
    pub const fn bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    /// No bound, for what is known to be little.
    pub const ALL: Self = Self::items(usize::MAX);
}

impl From<usize> for Limit {
    fn from(items: usize) -> Self {
        Self::items(items)
    }
}

impl<T> Filling<T> {
    /// Returns nothing yet.
    pub const fn new(limit: Limit) -> Self {
        Self { limit, taken: 0, portion: Portion { items: Vec::new(), more: false } }
    }

    /// Returns whether the next item, which has this many bytes, still belongs to the portion. When not, the portion is
    /// complete, and known to be followed by more.
    pub fn takes(&mut self, bytes: usize) -> bool {
        let taken = self.taken.saturating_add(bytes);
        let has_room = self.portion.items.is_empty() || taken <= self.limit.bytes;
        if self.portion.more || self.portion.items.len() >= self.limit.items || !has_room {
            self.portion.more = true;
            return false;
        }
        self.taken = taken;
        true
    }

    /// The item that the portion takes.
    pub fn push(&mut self, item: T) {
        self.portion.items.push(item);
    }

    /// Returns how many items it can still take, and one more, which tells whether others follow; 0 when it is
    /// complete.
    pub fn wanted(&self) -> usize {
        match self.portion.more {
            true => 0,
            false => (self.limit.items - self.portion.items.len()).saturating_add(1),
        }
    }

    /// Returns the portion.
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
