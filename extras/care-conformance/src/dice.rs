//! Deterministic pseudo-random numbers.

/// A SplitMix64 generator: a few lines, and random enough to choose moves and moments. A seed always gives the same
/// numbers.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Returns the generator with this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below this one, which must not be 0.
    pub const fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }

    /// Returns true once in this number of calls on average.
    pub const fn one_in(&mut self, calls: u64) -> bool {
        self.roll(calls) == 0
    }

    /// Returns one of the items, or `None` when there are none.
    pub fn pick<T>(&mut self, from: impl IntoIterator<Item = T>) -> Option<T> {
        let mut from: Vec<T> = from.into_iter().collect();
        if from.is_empty() {
            return None;
        }
        let index = self.roll(from.len() as u64) as usize;
        Some(from.swap_remove(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        // The first three outputs for the seed 1234567, from the reference implementation of the algorithm.
        let mut dice = Dice::new(1_234_567);
        let rolled = [(); 3].map(|()| dice.roll(u64::MAX));
        assert_eq!(rolled, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
