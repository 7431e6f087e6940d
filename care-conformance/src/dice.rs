//! Deterministic pseudo-random numbers.

/// A SplitMix64 generator, which is short and random enough to choose among moves.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below this one.
    pub(crate) const fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }

    /// Returns true or false, each half of the time.
    pub(crate) const fn flip(&mut self) -> bool {
        self.roll(2) == 0
    }

    /// Returns one of the items, or `None` when there are none.
    pub(crate) fn pick<T>(&mut self, from: impl IntoIterator<Item = T>) -> Option<T> {
        let mut from: Vec<T> = from.into_iter().collect();
        if from.is_empty() {
            return None;
        }
        let index = self.roll(from.len() as u64) as usize;
        Some(from.swap_remove(index))
    }
}
