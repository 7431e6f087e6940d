//! Chance that a seed repeats.

/// SplitMix64: a few lines, and good enough to choose moments and moves.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Returns the generator with this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below this one.
    pub const fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }

    /// Returns true once in this number of calls on average.
    pub const fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}
