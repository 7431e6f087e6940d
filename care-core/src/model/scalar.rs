//! Raw values, and the types of the model that are made of them.

use super::Invalid;

/// A type of one value, as the layers around the model read it: from a text, an integer, a number or a truth value.
///
/// ```
/// use care_core::model::{Phone, Scalar};
///
/// assert_eq!(Phone::of(441_632_960_001)?, Phone::try_from(441_632_960_001)?);
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
pub trait Scalar: Sized {
    /// The raw value of which it is made: `String`, `i64`, `f64` or `bool`.
    type Raw;

    /// Checks a raw value, and makes one of this type of it.
    ///
    /// # Errors
    /// The broken rule.
    fn of(raw: Self::Raw) -> Result<Self, Invalid>;
}

macro_rules! raw {
    ($($raw:ty)+) => {
        $(impl Scalar for $raw {
            type Raw = Self;

            fn of(raw: Self) -> Result<Self, Invalid> {
                Ok(raw)
            }
        })+
    };
}

raw! { String i64 f64 bool }
