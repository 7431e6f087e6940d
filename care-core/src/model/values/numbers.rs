//! Numbers with a range.

use serde::{Deserialize, Serialize, Serializer};

use super::conversions::{as_doors, as_number, as_scalar};
use crate::model::{Invalid, Scalar};

/// Defines one ranged integer type. Its range is that of stored values too, which arithmetic needs, unless a wider one
/// is named.
macro_rules! ranged {
    ($(#[$doc:meta])* $name:ident, $min:literal..=$max:literal, $rule:literal) => {
        ranged!(@number $(#[$doc])* #[derive(Deserialize)] #[serde(try_from = "i64")] $name, $min..=$max, $rule);

        impl TryFrom<i64> for $name {
            type Error = Invalid;

            fn try_from(value: i64) -> Result<Self, Invalid> {
                match (Self::MIN..=Self::MAX).contains(&value) {
                    true => Ok(Self(value)),
                    false => Err(Invalid($rule)),
                }
            }
        }

        as_scalar!($name, i64);
    };
    (
        $(#[$doc:meta])* $name:ident, $min:literal..=$max:literal, $rule:literal,
        stored $least:literal..=$most:literal
    ) => {
        ranged!(@number $(#[$doc])* $name, $min..=$max, $rule);

        impl Scalar for $name {
            type Raw = i64;

            fn from_stored(value: i64) -> Result<Self, Invalid> {
                match ($least..=$most).contains(&value) {
                    true => Ok(Self(value)),
                    false => Err(Invalid($rule)),
                }
            }

            fn check_new(&self) -> Result<(), Invalid> {
                match (Self::MIN..=Self::MAX).contains(&self.0) {
                    true => Ok(()),
                    false => Err(Invalid($rule)),
                }
            }
        }

        as_doors!($name, i64);
    };
    (@number $(#[$meta:meta])* $name:ident, $min:literal..=$max:literal, $rule:literal) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub struct $name(i64);

        impl $name {
            /// The smallest allowed value.
            pub const MIN: i64 = $min;
            /// The largest allowed value.
            pub const MAX: i64 = $max;

            /// Returns the number itself.
            pub const fn value(self) -> i64 {
                self.0
            }

            /// Returns the allowed value that is nearest to this one.
            pub const fn clamped(value: i64) -> Self {
                if value < Self::MIN {
                    Self(Self::MIN)
                } else if value > Self::MAX {
                    Self(Self::MAX)
                } else {
                    Self(value)
                }
            }
        }

        as_number!($name, i64, $rule, number => number.0);
    };
}

pub(super) use ranged;

ranged! {
    /// A contact phone number as one integer of at most fifteen digits, the length that E.164 allows.
    Phone, 1..=999_999_999_999_999, "must be 1 to 999999999999999", stored 0..=9_007_199_254_740_991
}
ranged! {
    /// An age in whole years, 0 to 150.
    Age, 0..=150, "must be 0 to 150", stored 0..=2_147_483_647
}
ranged! {
    /// An amount in whole units of its currency, 0 to 2^53-1 (exact in every JSON client), never scaled.
    Price, 0..=9_007_199_254_740_991, "must be 0 to 9007199254740991"
}

/// A weight in kilograms: more than 0, at most 1000.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Weight(f64);

/// No weight is NaN, which alone would not equal itself.
impl Eq for Weight {}

impl Weight {
    /// The lower bound of weights in kilograms, which is not allowed itself.
    pub const ABOVE: f64 = 0.0;
    /// The largest allowed weight in kilograms.
    pub const MAX: f64 = 1000.0;

    /// Returns the weight in kilograms.
    pub const fn kilograms(self) -> f64 {
        self.0
    }
}

impl Scalar for Weight {
    type Raw = f64;

    fn from_stored(value: f64) -> Result<Self, Invalid> {
        // A double holds whole numbers up to 2^53 exactly. This form of the comparison refuses NaN too.
        if (0.0..=9_007_199_254_740_992.0).contains(&value) { Ok(Self(value)) } else { Err(Invalid(WEIGHT)) }
    }

    fn check_new(&self) -> Result<(), Invalid> {
        if self.0 > Self::ABOVE && self.0 <= Self::MAX { Ok(()) } else { Err(Invalid(WEIGHT)) }
    }
}

const WEIGHT: &str = "must be more than 0 and at most 1000";

as_doors!(Weight, f64);
as_number!(Weight, f64, WEIGHT, weight => weight.0);

impl Serialize for Weight {
    /// Writes whole kilograms without a fraction, as clients send them: `70`, not `70.0`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 {
            // The conversion is exact: a stored weight is at most 2^53.
            #[allow(clippy::cast_possible_truncation)]
            return serializer.serialize_i64(self.0 as i64);
        }
        serializer.serialize_f64(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_their_ends_and_nothing_beyond() {
        assert!(Age::try_from(0).is_ok() && Age::try_from(150).is_ok());
        assert!(Age::try_from(-1).is_err() && Age::try_from(151).is_err());
        assert!(Phone::try_from(0).is_err() && Phone::try_from(1_000_000_000_000_000).is_err());
        assert!(Price::try_from(0).is_ok() && Price::try_from(9_007_199_254_740_992).is_err());
    }

    #[test]
    fn what_was_stored_is_read_whatever_the_rule_is_today() {
        assert_eq!((Age::from_stored(151).map(Age::value), Age::of(151).is_err()), (Ok(151), true));
        assert_eq!(serde_json::from_str::<Phone>("1000000000000000").unwrap().value(), 1_000_000_000_000_000);
        assert!(Weight::from_stored(1200.5).is_ok() && Weight::of(1200.5).is_err());
        // Sums and documents rely on these.
        assert!(Price::from_stored(Price::MAX + 1).is_err() && Weight::from_stored(f64::NAN).is_err());
    }

    #[test]
    fn a_weight_is_positive_and_at_most_a_tonne() {
        for refused in [0.0, -0.0, -1.0, 1000.5, 1e308, f64::NAN, f64::INFINITY] {
            assert!(Weight::try_from(refused).is_err(), "{refused}");
        }
        for accepted in [f64::MIN_POSITIVE, 0.5, 70.25, 1000.0] {
            assert_eq!(Weight::try_from(accepted).map(Weight::kilograms), Ok(accepted));
        }
    }

    #[test]
    fn whole_kilograms_have_no_fraction() {
        let text = |kilograms| Weight::try_from(kilograms).ok().and_then(|weight| serde_json::to_string(&weight).ok());
        assert_eq!(text(70.0).as_deref(), Some("70"));
        assert_eq!(text(70.5).as_deref(), Some("70.5"));
    }
}
