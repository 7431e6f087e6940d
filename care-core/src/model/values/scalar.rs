//! Raw values, and the types of the model that are made of them.

use crate::model::Invalid;

/// A type of one value, as the layers around the model read it: from a text, an integer, a number or a truth value.
///
/// ```
/// use care_core::model::{Name, Phone, Scalar};
///
/// assert_eq!(Phone::of(441_632_960_001)?, Phone::try_from(441_632_960_001)?);
/// assert_eq!(Name::of("Ada Example".to_owned())?, Name::new("Ada Example")?);
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
pub trait Scalar: Sized {
    /// The raw value of which it is made: `String`, `i64`, `f64` or `bool`.
    type Raw: Raw;

    /// Checks a raw value, and makes one of this type of it.
    ///
    /// # Errors
    /// The broken rule.
    fn of(raw: Self::Raw) -> Result<Self, Invalid>;
}

/// A raw value.
pub trait Raw: Sized {
    /// The value as a caller has it: a text is borrowed.
    type Given<'a>: Into<Self>;
}

macro_rules! raw {
    ($($raw:ty => $given:ty;)+) => {
        $(
            impl Raw for $raw {
                type Given<'a> = $given;
            }

            impl Scalar for $raw {
                type Raw = Self;

                fn of(raw: Self) -> Result<Self, Invalid> {
                    Ok(raw)
                }
            }
        )+
    };
}

raw! {
    String => &'a str;
    i64 => Self;
    f64 => Self;
    bool => Self;
}
