//! Numbers, judged by their spelling.

use serde_json::value::RawValue;

/// A number in JSON's grammar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// A number written as an integer (no point, no exponent, not `-0`) within 64 bits.
    Integer(i64),
    /// Any other number that a double holds.
    Real(f64),
    /// A number that is too large for a double.
    Beyond,
}

impl Number {
    /// Returns a number in JSON's grammar, with white space around it; `None` for any other text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let literal = serde_json::from_str::<&RawValue>(text).ok()?.get();
        literal.starts_with(|first: char| first == '-' || first.is_ascii_digit()).then(|| Self::of(literal))
    }

    /// Returns a number in JSON's grammar. `-0` is not an integer: it would not read back as it was written.
    pub(crate) fn of(literal: &str) -> Self {
        if literal != "-0"
            && let Ok(integer) = literal.parse()
        {
            return Self::Integer(integer);
        }
        match literal.parse::<f64>() {
            Ok(real) if real.is_finite() => Self::Real(real),
            _ => Self::Beyond,
        }
    }
}
