//! Pseudo-random choices, the same in every run.

/// A xorshift64 generator.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number from 1 to `last`.
    pub(crate) const fn roll(&mut self, last: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % last + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_comes_up() {
        let mut dice = Dice::new(1);
        let mut seen = [false; 6];
        for _ in 0..200 {
            seen[usize::try_from(dice.roll(6)).unwrap() - 1] = true;
        }
        assert_eq!(seen, [true; 6]);
    }
}
