//! Raw values, and the types of the model that are made of them.

use std::fmt::Display;

use crate::model::Invalid;

/// A type of one value, as the layers around the model read it: from a text, an integer, a number or a truth value.
///
/// A value has two doors. A raw value from a request or a table comes in by [`of`](Self::of), which applies today's
/// rule. A stored value, whichever release stored it, is read by [`from_stored`](Self::from_stored), which checks only
/// what arithmetic, documents and keys need, so that a rule can be tightened without making a record unreadable.
/// `Deserialize` is the second door, since it reads rows, the journal and answers.
///
/// ```
/// use care_core::model::{Currency, Name, Phone, Scalar};
///
/// assert_eq!(Phone::of(441_632_960_001)?, Phone::try_from(441_632_960_001)?);
/// assert_eq!(Name::of("Ada Example".to_owned())?, Name::new("Ada Example")?);
/// // ISO withdrew the lev in 2026.
/// assert!(Currency::of("BGN".to_owned()).is_err());
/// assert_eq!(Currency::from_stored("BGN".to_owned())?.as_str(), "BGN");
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
pub trait Scalar: Sized {
    /// The raw value of which it is made: `String`, `i64`, `f64` or `bool`.
    type Raw: Raw;

    /// Makes a value of a stored one.
    ///
    /// # Errors
    /// The broken rule, without which the service could not work with the value.
    fn from_stored(raw: Self::Raw) -> Result<Self, Invalid>;

    /// Checks a value that is new by today's rule.
    ///
    /// # Errors
    /// The broken rule.
    fn check_new(&self) -> Result<(), Invalid> {
        Ok(())
    }

    /// Makes a value of a new one.
    ///
    /// # Errors
    /// The broken rule.
    fn of(raw: Self::Raw) -> Result<Self, Invalid> {
        let value = Self::from_stored(raw)?;
        value.check_new().map(|()| value)
    }
}

/// Reads a new value, which `Deserialize` would take for a stored one.
pub(crate) fn new_value<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Scalar<Raw: serde::Deserialize<'de>>,
    D: serde::Deserializer<'de>,
{
    let raw = serde::Deserialize::deserialize(deserializer)?;
    T::of(raw).map_err(serde::de::Error::custom)
}

/// A raw value.
pub trait Raw: Sized {
    /// Reads a value from its text in a query.
    ///
    /// # Errors
    /// The broken rule.
    fn in_query(text: String) -> Result<Self, Invalid>;
}

/// The argument of a setter: a raw value itself, or anything that a text is made of.
pub trait Given<R> {
    /// Returns the raw value.
    fn raw(self) -> R;
}

impl<T: Into<String>> Given<String> for T {
    fn raw(self) -> String {
        self.into()
    }
}

/// A value that a parameter of a query can have.
pub trait InQuery: Sized {
    /// Reads a value from its text.
    ///
    /// # Errors
    /// The broken rule.
    fn read(text: String) -> Result<Self, Invalid>;

    /// Returns the one text that the service writes for the value.
    fn text(&self) -> String;
}

impl<T: Scalar + Display> InQuery for T {
    fn read(text: String) -> Result<Self, Invalid> {
        Self::of(T::Raw::in_query(text)?)
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

/// Reads a whole number in plain digits: without a sign and without a leading zero.
pub(crate) fn plain_number(text: &str) -> Option<i64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_plain { text.parse().ok() } else { None }
}

macro_rules! raw {
    ($($raw:ty => |$text:ident| $read:expr;)+) => {
        $(
            impl Raw for $raw {
                fn in_query($text: String) -> Result<Self, Invalid> {
                    $read
                }
            }

            impl Scalar for $raw {
                type Raw = Self;

                fn from_stored(raw: Self) -> Result<Self, Invalid> {
                    Ok(raw)
                }
            }
        )+
    };
}

macro_rules! given {
    ($($raw:ty)+) => {
        $(impl Given<Self> for $raw {
            fn raw(self) -> Self {
                self
            }
        })+
    };
}

given! { i64 f64 bool }

raw! {
    String => |text| Ok(text);
    i64 => |text| plain_number(&text).ok_or(Invalid("must be a whole number in plain digits"));
    f64 => |text| text.parse().map_err(|_| Invalid("must be a number"));
    bool => |text| text.parse().map_err(|_| Invalid("must be true or false"));
}
