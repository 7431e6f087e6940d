//! Medicine names, and when two of them mean the same medicine.

use serde::{Deserialize, Serialize};

use crate::model::{
    InQuery, Invalid, Scalar,
    values::{
        conversions::{as_doors, as_key, as_text},
        fold::folded_medicine,
        text::{plain, within},
    },
};

/// A medicine's name as a client spelled it: at most 128 code points, not blank, not `.` or `..`.
///
/// The spelling is kept for display. Two names mean the same medicine when their [`MedicineKey`]s are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(into = "String")]
pub struct MedicineName {
    spelling: String,
    key: MedicineKey,
}

/// The identity of a medicine: `NFC(fold(NFC(name)))` with Unicode full case folding (Unicode 16.0), without
/// default-ignorable code points such as the zero width space, with each run of White_Space as one space, and with the
/// ends trimmed; dashes (U+2010 to U+2015, U+2212) are `-`, apostrophes (U+2018, U+2019, U+02BC, U+02B9, U+2032,
/// U+FF07, U+00B4, U+0060) are `'`, and compatibility forms of the digits 0 to 9 are these digits.
///
/// ```
/// use care_core::model::MedicineName;
///
/// let name = MedicineName::new("  Ibuprofen \t 400")?;
/// assert_eq!(name.key(), MedicineName::new("IBUPROFEN 400")?.key());
/// assert_eq!(name.as_str(), "  Ibuprofen \t 400");
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MedicineKey(Box<str>);

const TOO_LONG: Invalid = Invalid("must be at most 128 characters");
const BLANK: Invalid = Invalid("must not be blank");

impl MedicineName {
    /// The longest name, in code points.
    pub const MAX: usize = 128;

    /// Checks a name, and makes a value of it; CR and CRLF become LF.
    ///
    /// # Errors
    /// The broken rule, when the name is too long, blank, `.` or `..`, or holds control characters.
    pub fn new(spelling: impl Into<String>) -> Result<Self, Invalid> {
        Self::of(spelling.into())
    }

    /// Makes a value of a name that is stored beside its key.
    ///
    /// # Errors
    /// The broken rule, or that the key is another one.
    pub fn with_key(spelling: String, key: MedicineKey) -> Result<Self, Invalid> {
        // Most names are plain, and need no further text for the comparison.
        if is_plain_key(&key.0) && spelling.as_bytes().eq_ignore_ascii_case(key.0.as_bytes()) {
            return Ok(Self { spelling, key });
        }
        let name = Self::from_stored(spelling)?;
        if name.key == key { Ok(name) } else { Err(Invalid("must be the name of its key")) }
    }

    /// Returns the name as it was spelled.
    pub fn as_str(&self) -> &str {
        &self.spelling
    }

    /// Returns the identity of the medicine.
    pub fn key(&self) -> &MedicineKey {
        &self.key
    }

    /// Returns whether the other name means the same medicine.
    pub fn is_same(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

/// Returns whether a text is surely a key: printable ASCII without capitals, dots and grave accents, with single spaces
/// between words.
fn is_plain_key(text: &str) -> bool {
    let mut last = b' ';
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_graphic() && !byte.is_ascii_uppercase() && !matches!(byte, b'.' | b'`');
        if !is_plain && (byte != b' ' || last == b' ') {
            return false;
        }
        last = byte;
    }
    last != b' '
}

as_key!(MedicineKey);

/// The beginning of a medicine's folded name.
///
/// ```
/// use care_core::model::{InQuery, MedicineName, MedicinePrefix};
///
/// let prefix = MedicinePrefix::read(" IBUP".to_owned())?;
/// assert!(MedicineName::new("Ibuprofen 400")?.key().as_str().starts_with(prefix.as_ref()));
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MedicinePrefix(Box<str>);

/// An empty beginning is refused, since every name has it.
impl InQuery for MedicinePrefix {
    fn read(text: String) -> Result<Self, Invalid> {
        let MedicineName { spelling, key } = MedicineName::from_stored(text)?;
        within(&spelling, MedicineName::MAX, TOO_LONG)?;
        if key.0.is_empty() { Err(BLANK) } else { Ok(Self(key.0)) }
    }

    fn text(&self) -> String {
        self.0.to_string()
    }
}

impl AsRef<str> for MedicinePrefix {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A medicine in any spelling.
impl InQuery for MedicineKey {
    fn read(text: String) -> Result<Self, Invalid> {
        MedicineName::new(text).map(|name| name.key)
    }

    fn text(&self) -> String {
        self.0.to_string()
    }
}

impl Scalar for MedicineName {
    type Raw = String;

    fn from_stored(spelling: String) -> Result<Self, Invalid> {
        let spelling = plain(spelling)?;
        let key = MedicineKey(folded_medicine(&spelling).into());
        Ok(Self { spelling, key })
    }

    fn check_new(&self) -> Result<(), Invalid> {
        within(&self.spelling, Self::MAX, TOO_LONG)?;
        match self.key.as_str() {
            "" => Err(BLANK),
            // Clients and proxies remove dot segments, so no URL could name these.
            "." | ".." => Err(Invalid("must not be . or ..")),
            _ => Ok(()),
        }
    }
}

as_doors!(MedicineName, String);
as_text!(MedicineName);

impl From<MedicineName> for MedicineKey {
    fn from(name: MedicineName) -> Self {
        name.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> String {
        MedicineName::new(name).map(|name| name.key().as_str().to_owned()).unwrap_or_default()
    }

    #[test]
    fn spellings_of_one_medicine_share_a_key() {
        assert_eq!(key("Paracetamol"), key("  PARACETAMOL\n"));
        assert_eq!(key("Straße"), key("STRASSE"));
        assert_eq!(key("e\u{301}tain"), key("\u{c9}TAIN"));
        assert_eq!(key("a\u{3000}\u{a0} b"), key("A B"));
        assert_eq!(key("\u{feff}Ibu\u{ad}pro\u{200b}fen\u{fe0f}"), key("ibuprofen"));
        assert_ne!(key("ab"), key("a b"));
        assert_eq!(key("Co\u{2011}trimoxazole 80/400"), key("co-trimoxazole \u{ff18}\u{ff10}/400"));
        assert_eq!(key("St John\u{2019}s wort"), key("st john`s wort"));
        // Without composing first, folding would keep these two apart.
        assert_eq!(key("\u{1fc3}"), key("\u{3b7}\u{3b9}"));
    }

    #[test]
    fn a_key_is_its_own_key() {
        for name in ["Paracetamol 500 mg", "Straße", "\u{1fc3}\u{345}", "İlaç", "ﬃ"] {
            assert_eq!(key(&key(name)), key(name), "{name}");
        }
    }

    #[test]
    fn a_stored_name_agrees_with_its_key() {
        let with_key = |name: &str, key: &str| MedicineName::with_key(name.to_owned(), MedicineKey::from_stored(key));
        for name in ["Ibuprofen 400", " Ibuprofen  400", "Co-Trimoxazole 80/400", "St. John's wort", "Straße"] {
            let made = MedicineName::new(name).unwrap();
            assert_eq!(with_key(name, made.key().as_str()), Ok(made), "{name}");
        }
        for (name, key) in [("ab", "ac"), ("ab", "Ab"), ("a b", "ab"), ("a  b", "a  b"), (" ", " "), ("a\0", "a\0")] {
            assert!(with_key(name, key).is_err(), "{name}");
        }
        // It may be longer than a new one.
        assert!(with_key(&"m".repeat(129), &"m".repeat(129)).is_ok() && with_key(" ", "").is_ok());
    }

    #[test]
    fn names_that_are_none_are_refused() {
        for refused in ["", " ", ".", "..", " .. ", ".\u{200b}.", "\u{200b}", " \u{ad} ", "a\0b", "a\u{7f}"] {
            assert!(MedicineName::new(refused).is_err(), "{refused:?}");
        }
        assert!(MedicineName::new("...").is_ok());
        assert!(MedicineName::new("m".repeat(128)).is_ok() && MedicineName::new("m".repeat(129)).is_err());
    }
}
