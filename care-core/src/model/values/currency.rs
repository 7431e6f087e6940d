//! Currency codes.

use std::fmt;

use serde::Serialize;

use super::conversions::{as_doors, as_text};
use crate::model::{Invalid, Scalar};

/// An ISO 4217 currency code, three letters `A` to `Z`; the X codes (`XAU`, `XTS`, `XXX`, …) are included. A new one is
/// active; a stored one may have been withdrawn since.
///
/// The list is ISO 4217:2015 with its amendments up to January 2026: without the Bulgarian lev, and with the Caribbean
/// guilder and the Zimbabwe Gold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct Currency([u8; 3]);

const REFUSED: Invalid = Invalid("must be an active ISO 4217 currency code");

impl Currency {
    /// Looks up a code; letter case matters.
    ///
    /// # Errors
    /// The broken rule, when no active currency has this code.
    pub fn new(code: &str) -> Result<Self, Invalid> {
        let currency = Self::coded(code)?;
        currency.check_new().map(|()| currency)
    }

    /// Returns the currency with this code, active or not.
    fn coded(code: &str) -> Result<Self, Invalid> {
        let letters: [u8; 3] = code.as_bytes().try_into().map_err(|_| REFUSED)?;
        if letters.iter().all(u8::is_ascii_uppercase) { Ok(Self(letters)) } else { Err(REFUSED) }
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

impl Scalar for Currency {
    type Raw = String;

    fn from_stored(code: String) -> Result<Self, Invalid> {
        Self::coded(&code)
    }

    fn check_new(&self) -> Result<(), Invalid> {
        let listed = iso_currency::Currency::from_code(self.as_str()).ok_or(REFUSED)?;
        // The underlying table marks the bolívar as superseded by its accounting twin; ISO lists both as active.
        match listed.is_superseded().is_none() || self.as_str() == "VES" {
            true => Ok(()),
            false => Err(REFUSED),
        }
    }
}

/// Shows the code.
impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Currency({self})")
    }
}

as_doors!(Currency, String);
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

    #[test]
    fn a_code_that_was_withdrawn_is_read_where_it_is_stored() {
        for code in ["BGN", "HRK", "DEM", "ZZZ"] {
            assert_eq!(serde_json::from_str::<Currency>(&format!("\"{code}\"")).unwrap().as_str(), code);
        }
        for code in ["", "EU", "EURO", "eur", "ÉU"] {
            assert!(Currency::from_stored(code.to_owned()).is_err(), "{code}");
        }
    }
}
