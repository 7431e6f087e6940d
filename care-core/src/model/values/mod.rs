//! Values: numbers, texts, dates, words and identifiers, each valid by construction.
//!
//! A value knows nothing of the records that it stands in.

pub(crate) mod conversions;
pub(crate) mod currency;
pub(crate) mod date;
pub(crate) mod fill;
pub(crate) mod fold;
pub(crate) mod ids;
pub(crate) mod invalid;
pub(crate) mod numbers;
pub(crate) mod patch;
pub(crate) mod scalar;
pub(crate) mod text;
pub(crate) mod time;
pub(crate) mod units;
pub(crate) mod words;

pub use {
    currency::*, date::*, fill::*, ids::*, invalid::*, numbers::*, patch::*, scalar::*, text::*, time::*, units::*,
};
