//! Exact fractions, rounded once.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A fraction of two whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fraction {
    /// The number above the line.
    pub numerator: u128,
    /// The number below the line; 0 stands for 1.
    pub denominator: u128,
}

/// A number with two decimals, stored as hundredths. JSON and XML write it without trailing zeros: `12.5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Hundredths(u64);

impl Fraction {
    /// Returns the quotient of these numbers.
    pub const fn new(numerator: u128, denominator: u128) -> Self {
        Self { numerator, denominator }
    }

    /// Returns the number rounded up to a whole one.
    pub fn ceil(self) -> u128 {
        self.numerator.div_ceil(self.below())
    }

    /// Returns the number rounded to two decimals, halves upwards.
    pub fn hundredths(self) -> Hundredths {
        let doubled = self.numerator.saturating_mul(200) / self.below();
        Hundredths(u64::try_from(doubled.div_ceil(2)).unwrap_or(u64::MAX))
    }

    /// Returns the smallest whole number whose square is not below the fraction.
    pub fn ceil_root(self) -> u128 {
        let square = self.ceil();
        let floor = square.isqrt();
        if floor * floor == square { floor } else { floor + 1 }
    }

    fn below(self) -> u128 {
        self.denominator.max(1)
    }
}

impl Hundredths {
    /// Returns this number of hundredths.
    pub const fn new(hundredths: u64) -> Self {
        Self(hundredths)
    }

    /// Returns the number of hundredths.
    pub const fn value(self) -> u64 {
        self.0
    }
}

/// Returns the sum of fractions: its whole part, and whether it is a whole number. No denominator may be above
/// [`MAX_DENOMINATOR`].
///
/// The fractions are divided side by side, digit by digit, until their remainders can no longer carry into the whole
/// part. A sum of such fractions that is not whole is at least 1/lcm(1..=365), which is more than 2^-523, away from a
/// whole number. So a sum that all the digits leave undecided is whole.
pub(super) fn sum(parts: impl IntoIterator<Item = (u128, u64)>) -> (u128, bool) {
    let mut whole = 0_u128;
    let mut rests = Vec::new();
    for (numerator, denominator) in parts {
        debug_assert!((1..=MAX_DENOMINATOR).contains(&denominator), "a denominator of {denominator}");
        let below = u128::from(denominator);
        whole = whole.saturating_add(numerator / below);
        // The value is below the denominator, so it fits.
        let rest = (numerator % below) as u64;
        if rest > 0 {
            rests.push((rest, denominator));
        }
    }
    let most = rests.len() as u64;
    let first = digit(&mut rests);
    let low = whole.saturating_add(u128::from(first >> BITS));
    // The least sum of the remainders, in units of the last digit, that carries into the whole part.
    let mut needed = (1 << BITS) - (first & MASK);
    if is_zero(&rests) || needed >= most {
        return (low, is_zero(&rests) && first & MASK == 0);
    }
    for _ in 1..DIGITS {
        let next = digit(&mut rests);
        if next >= needed << BITS {
            return (low + 1, next == needed << BITS && is_zero(&rests));
        }
        needed = (needed << BITS) - next;
        if is_zero(&rests) || needed >= most {
            return (low, false);
        }
    }
    (low + 1, true)
}

/// Returns a sum rounded up to a whole number.
pub(super) fn ceil_sum(parts: impl IntoIterator<Item = (u128, u64)>) -> u128 {
    let (floor, is_exact) = sum(parts);
    floor.saturating_add(u128::from(!is_exact))
}

/// Returns the next digit of all fractions together, and leaves their remainders in `rests`.
fn digit(rests: &mut [(u64, u64)]) -> u64 {
    let divide = |(rest, denominator): &mut (u64, u64)| {
        let scaled = *rest << BITS;
        *rest = scaled % *denominator;
        scaled / *denominator
    };
    rests.iter_mut().map(divide).sum()
}

fn is_zero(rests: &[(u64, u64)]) -> bool {
    rests.iter().all(|(rest, _)| *rest == 0)
}

/// The largest denominator of a fraction in a [`sum`].
pub(super) const MAX_DENOMINATOR: u64 = 365;
const BITS: u32 = 32;
const MASK: u64 = (1 << BITS) - 1;
/// The highest number of digits. 18 digits of 32 bits are 576 bits, of which the number of fractions takes 9.
const DIGITS: usize = 18;

impl fmt::Display for Hundredths {
    /// Writes the number always with two decimals: `12.50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl Serialize for Hundredths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(100) {
            return serializer.serialize_u64(self.0 / 100);
        }
        // The double nearest to a number with two decimals is written with these two decimals, up to 2^53 hundredths.
        #[allow(clippy::cast_precision_loss)]
        serializer.serialize_f64(self.0 as f64 / 100.0)
    }
}

impl<'de> Deserialize<'de> for Hundredths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        // A stored answer never holds a negative number or NaN, which would become 0 here.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Ok(Self((number * 100.0).round() as u64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hundredths_are_rounded_half_up() {
        for (numerator, denominator, text) in
            [(515, 3, "171.67"), (1, 8, "0.13"), (1, 200, "0.01"), (1, 201, "0.00"), (7, 1, "7.00"), (0, 0, "0.00")]
        {
            assert_eq!(Fraction::new(numerator, denominator).hundredths().to_string(), text);
        }
        for (hundredths, json) in [(17_167, "171.67"), (1250, "12.5"), (700, "7"), (0, "0")] {
            let text = serde_json::to_string(&Hundredths::new(hundredths)).unwrap();
            assert_eq!(text, json);
            assert_eq!(serde_json::from_str::<Hundredths>(&text).unwrap(), Hundredths::new(hundredths));
        }
    }

    #[test]
    fn roots_are_rounded_up() {
        for (square, root) in [(0, 0), (1, 1), (2, 2), (4, 2), (5, 3), (u128::MAX, 1 << 64)] {
            assert_eq!(Fraction::new(square, 1).ceil_root(), root);
        }
        assert_eq!(Fraction::new(9, 4).ceil_root(), 2);
    }

    #[test]
    fn thirds_make_whole_numbers_again() {
        assert_eq!(sum([(1, 3), (2, 3)]), (1, true));
        assert_eq!(sum([(1, 3), (1, 3)]), (0, false));
        assert_eq!(sum([(1, 2), (1, 3), (1, 6)]), (1, true));
        assert_eq!(sum([(7, 2), (1, 2)]), (4, true));
        assert_eq!(sum([]), (0, true));
        // The fractions are those of all intervals, each with its complement: 364 whole numbers in 728 fractions.
        let both = (2..=MAX_DENOMINATOR).flat_map(|below| [(1, below), (u128::from(below) - 1, below)]);
        assert_eq!(sum(both), (364, true));
        let (without, with) = (sum([(182, 365), (182, 364)]), sum([(183, 365), (182, 364)]));
        assert_eq!((without, with), ((0, false), (1, false)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn sums_are_those_of_a_common_denominator(
            parts in proptest::collection::vec((0_u128..100_000, 0_usize..8), 0..12),
        ) {
            let below = [2, 3, 5, 7, 28, 30, 84, 120];
            let parts: Vec<_> = parts.into_iter().map(|(above, at)| (above, below[at])).collect();
            let above: u128 = parts.iter().map(|(above, below)| above * 840 / u128::from(*below)).sum();
            prop_assert_eq!(sum(parts), (above / 840, above.is_multiple_of(840)));
        }
    }
}
