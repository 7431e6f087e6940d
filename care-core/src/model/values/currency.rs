//! Currency codes.

use serde::{Deserialize, Serialize};

use super::conversions::as_text;
use crate::model::Invalid;

/// An active ISO 4217 currency code, three letters `A` to `Z`; the X codes (`XAU`, `XTS`, `XXX`, …) are included.
///
/// The list is ISO 4217:2015 with its amendments up to January 2026: without the Bulgarian lev, and with the Caribbean
/// guilder and the Zimbabwe Gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    /// Looks up a code; letter case matters.
    ///
    /// # Errors
    /// The broken rule, when no active currency has this code.
    pub fn new(code: &str) -> Result<Self, Invalid> {
        const REFUSED: Invalid = Invalid("must be an active ISO 4217 currency code");
        let letters: [u8; 3] = code.as_bytes().try_into().map_err(|_| REFUSED)?;
        let listed = iso_currency::Currency::from_code(code).ok_or(REFUSED)?;
        // The underlying table marks the bolívar as superseded by its accounting twin; ISO lists both as active.
        let active = listed.is_superseded().is_none() || code == "VES";
        if !active || !letters.iter().all(u8::is_ascii_uppercase) {
            return Err(REFUSED);
        }
        Ok(Self(letters))
    }

    /// Returns all active currencies, in the order of their codes.
    pub fn all() -> impl Iterator<Item = Self> {
        let pairs = (b'A'..=b'Z').flat_map(|first| (b'A'..=b'Z').map(move |second| [first, second]));
        let codes = pairs.flat_map(|[first, second]| (b'A'..=b'Z').map(move |third| [first, second, third]));
        codes.filter_map(|code| Self::new(str::from_utf8(&code).ok()?).ok())
    }

    /// Returns the three letters.
    pub fn as_str(&self) -> &str {
        // The bytes are three ASCII letters by construction.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl TryFrom<String> for Currency {
    type Error = Invalid;

    fn try_from(code: String) -> Result<Self, Invalid> {
        Self::new(&code)
    }
}

as_text!(Currency);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_codes_are_accepted() {
        for code in ["EUR", "USD", "INR", "JPY", "XAU", "XTS", "XXX", "XCG", "ZWG", "VED", "VES", "SLE", "CHE"] {
            assert_eq!(Currency::new(code).map(|c| c.to_string()).as_deref(), Ok(code));
        }
    }

    #[test]
    fn all_are_listed_in_order() {
        let all: Vec<_> = Currency::all().map(|code| code.to_string()).collect();
        assert!(all.is_sorted() && all.len() > 150);
        for code in ["AED", "EUR", "VES", "XXX", "ZWG"] {
            assert!(all.iter().any(|listed| listed == code), "{code}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for code in ["", "EU", "EURO", "eur", "Eur", "ZZZ", "HRK", "BGN", "SLL", "ZWL", "CUC", "DEM", "E R", "ÉU"] {
            assert!(Currency::new(code).is_err(), "{code}");
        }
    }
}
