//! Deterministic pseudo-random numbers.

/// A seeded SplitMix64 generator.
#[derive(Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number from 0 to `sides - 1`; `sides` must not be 0. The bias of the remainder is too small to matter
    /// here.
    pub(super) const fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }

    /// Returns true once in `times` calls on average.
    pub(super) const fn one_in(&mut self, times: u64) -> bool {
        self.roll(times) == 0
    }

    /// Returns one of the items, or `None` when there are none.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let sides = u64::try_from(from.len()).ok().filter(|len| *len > 0)?;
        usize::try_from(self.roll(sides)).ok().and_then(|index| from.get(index))
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

    #[test]
    fn every_side_comes_up() {
        let mut dice = Dice::new(1);
        let mut seen = [false; 6];
        for _ in 0..100 {
            let side = usize::try_from(dice.roll(6)).unwrap();
            seen[side] = true;
        }
        assert_eq!(seen, [true; 6]);
        assert_eq!(dice.pick::<u8>(&[]), None);
        assert_eq!(dice.pick(&[7]), Some(&7));
    }
}
