//! Lots: units that arrived under one text with one expiry date.

use std::{
    cmp::Ordering,
    hash::{Hash, Hasher},
};

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{
    Date, InQuery, Invalid, MedicineName, Scalar, Units,
    values::{
        conversions::{as_doors, as_key, as_text},
        fold::{folded, is_default_ignorable},
        text::{plain, within},
    },
};

/// The text on the pack of a lot as a client spelled it: at most 20 code points (what a barcode may hold, GS1 AI 10),
/// without tabs and line feeds, and without white space and invisible characters at its ends.
///
/// The first spelling within a medicine is kept for display. Two texts mean the same lot when their [`LotKey`]s are
/// equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(into = "String")]
pub struct LotText {
    spelling: String,
    key: LotKey,
}

/// The identity of a lot's text: the text without white space, control characters and default-ignorable code points,
/// folded like a [`MedicineKey`](crate::model::MedicineKey).
///
/// ```
/// use care_core::model::{InQuery, LotKey, LotText};
///
/// let lot = LotText::new("LOT 21-b")?;
/// assert_eq!(*lot.key(), LotKey::read("lot21-B".to_owned())?);
/// assert_eq!(lot.as_str(), "LOT 21-b");
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LotKey(Box<str>);

impl LotText {
    /// The longest text, in code points.
    pub const MAX: usize = 20;

    /// Checks a text, and makes a value of it.
    ///
    /// # Errors
    /// The broken rule.
    pub fn new(spelling: impl Into<String>) -> Result<Self, Invalid> {
        Self::of(spelling.into())
    }

    /// Returns the text as it was spelled.
    pub fn as_str(&self) -> &str {
        &self.spelling
    }

    /// Returns the identity of the text.
    pub const fn key(&self) -> &LotKey {
        &self.key
    }
}

as_key!(LotKey);

const TOO_LONG: Invalid = Invalid("must be at most 20 characters");

impl Scalar for LotText {
    type Raw = String;

    fn from_stored(spelling: String) -> Result<Self, Invalid> {
        let spelling = plain(spelling)?;
        let key = folded(&visible(&spelling));
        if key.is_empty() { Err(Invalid("must not be blank")) } else { Ok(Self { spelling, key: LotKey(key.into()) }) }
    }

    fn check_new(&self) -> Result<(), Invalid> {
        within(&self.spelling, Self::MAX, TOO_LONG)?;
        if self.spelling.contains(['\t', '\n']) {
            return Err(Invalid("must not hold tabs and line feeds"));
        }
        if self.spelling.starts_with(is_unseen) || self.spelling.ends_with(is_unseen) {
            return Err(Invalid("must not begin or end with white space or an invisible character"));
        }
        Ok(())
    }
}

as_doors!(LotText, String);
as_text!(LotText);

/// A lot in any spelling.
impl InQuery for LotKey {
    fn read(text: String) -> Result<Self, Invalid> {
        let LotText { spelling, key } = LotText::from_stored(text)?;
        within(&visible(&spelling), LotText::MAX, TOO_LONG).map(|()| key)
    }

    fn text(&self) -> String {
        self.0.to_string()
    }
}

/// The text of a lot, or none, which is an empty parameter.
impl InQuery for Option<LotKey> {
    fn read(text: String) -> Result<Self, Invalid> {
        if text.is_empty() { Ok(None) } else { LotKey::read(text).map(Some) }
    }

    fn text(&self) -> String {
        self.as_ref().map(LotKey::text).unwrap_or_default()
    }
}

/// Returns what of a text can be seen.
fn visible(text: &str) -> String {
    text.chars().filter(|c| !is_unseen(*c)).collect()
}

fn is_unseen(c: char) -> bool {
    c.is_whitespace() || c.is_control() || is_default_ignorable(c)
}

/// The identity of a lot within a medicine: its text and its expiry date, either of which may be absent.
///
/// Two identities are equal when the texts mean the same lot, in whatever spelling. Lots are ordered as they are handed
/// out, first expired first out (FEFO): by date, lots without one last; then by the code points of the folded text,
/// lots without one first.
///
/// ```
/// use care_core::model::{LotId, LotText};
///
/// let dated = LotId { lot: None, expires: Some("31/12/2026".parse()?) };
/// let named = LotId { lot: Some(LotText::new("A1")?), expires: None };
/// assert!(dated < named && LotId::default() < named);
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
#[derive(Debug, Clone, Default, Record)]
#[record(body, document = "LotId")]
pub struct LotId {
    /// The text on the pack, in any spelling.
    #[field(example = "A1")]
    pub lot: Option<LotText>,
    /// The last day on which it is good.
    #[field(example = "31/12/2027")]
    pub expires: Option<Date>,
}

/// A lot with units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "Form")]
pub struct Lot {
    /// The identity of the lot.
    #[serde(flatten)]
    pub id: LotId,
    /// The units in stock.
    pub on_hand: Units,
}

/// The form in which a lot is read. Reading a flattened struct would take several times as long.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Form {
    lot: Option<LotText>,
    expires: Option<Date>,
    on_hand: Units,
}

impl From<Form> for Lot {
    fn from(Form { lot, expires, on_hand }: Form) -> Self {
        Self { id: LotId { lot, expires }, on_hand }
    }
}

/// An open lot of a tracked medicine. Each is a record of its own, so that a decision writes the lots that it changes
/// and no others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenLot {
    /// The medicine, in the inventory's spelling.
    pub medicine: MedicineName,
    /// The text of the lot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lot: Option<LotText>,
    /// The last day on which it is good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Date>,
    /// The units in stock.
    pub on_hand: Units,
}

impl OpenLot {
    /// Returns this lot of a medicine.
    pub fn new(medicine: MedicineName, Lot { id: LotId { lot, expires }, on_hand }: Lot) -> Self {
        Self { medicine, lot, expires, on_hand }
    }

    /// Returns the identity of the lot within its medicine.
    pub fn lot_id(&self) -> LotId {
        LotId { lot: self.lot.clone(), expires: self.expires }
    }

    /// Returns the lot without its medicine.
    pub fn lot(&self) -> Lot {
        Lot { id: self.lot_id(), on_hand: self.on_hand }
    }
}

impl LotId {
    /// Returns the identity of the text.
    pub fn lot_key(&self) -> Option<&LotKey> {
        self.lot.as_ref().map(LotText::key)
    }
}

impl PartialEq for LotId {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for LotId {}

impl Hash for LotId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.expires, self.lot_key()).hash(state);
    }
}

impl Ord for LotId {
    fn cmp(&self, other: &Self) -> Ordering {
        let dates = match (self.expires, other.expires) {
            (Some(one), Some(other)) => one.cmp(&other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        };
        dates.then_with(|| self.lot_key().cmp(&other.lot_key()))
    }
}

impl PartialOrd for LotId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots_stand_in_the_order_in_which_they_are_handed_out() {
        let id = |lot: Option<&str>, expires: Option<&str>| LotId {
            lot: lot.map(|lot| LotText::new(lot).unwrap()),
            expires: expires.map(|day| day.parse().unwrap()),
        };
        let ordered = [
            id(Some("z"), Some("31/12/2025")),
            id(None, Some("01/01/2026")),
            id(Some("A 1"), Some("01/01/2026")),
            id(Some("a2"), Some("01/01/2026")),
            id(Some("B"), Some("01/01/2026")),
            id(Some("\u{fffd}"), Some("01/01/2026")),
            id(Some("\u{10000}"), Some("01/01/2026")),
            id(None, None),
            id(Some("0"), None),
        ];
        assert!(ordered.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn a_lot_is_the_same_in_any_spelling() {
        let key = |text: &str| LotText::new(text).unwrap().key().as_str().to_owned();
        let spellings = ["LOT21B", "lot21b", "Lot 21 B", "L\u{a0}OT\u{200b}21\u{2060}B", "lo\u{ad}t2\u{3000}1b"];
        assert!(spellings.iter().all(|text| key(text) == "lot21b"));
        assert_eq!(key("Stra\u{df}e"), key("STRASSE"));
        assert_eq!(key("e \u{301}1"), key("\u{c9}1"));
        for other in ["LOT21", "LOT-21B", "LOT21\u{df}"] {
            assert_ne!(key(other), "lot21b");
        }
        let read = |text: &str| LotKey::read(text.to_owned()).map(|key| key.as_str().to_owned());
        assert_eq!(read("\t lot\n21 B\u{200b}").as_deref(), Ok("lot21b"));
        assert_eq!(read(&"a ".repeat(20)).as_deref(), Ok("a".repeat(20).as_str()));
        assert!(read(&"a".repeat(21)).is_err() && read("").is_err() && read(" \u{200b}").is_err());
        assert_eq!(Option::<LotKey>::read(String::new()), Ok(None));
    }

    #[test]
    fn texts_that_are_no_lot_are_refused() {
        for refused in
            ["", " ", "\u{200b}", " a", "a ", "\ta", "a\n", "a\tb", "a\nb", "a\r", "a\u{a0}", "\u{feff}a", "a\u{ad}"]
        {
            assert!(LotText::new(refused).is_err(), "{refused:?}");
        }
        assert!(LotText::new("a b\u{200b}c").is_ok());
        assert!(LotText::new("x".repeat(20)).is_ok() && LotText::new("x".repeat(21)).is_err());
        // A stored lot is read whatever the rule is today, but a text that is unseen has no key.
        assert!(LotText::from_stored(" a\n".to_owned()).is_ok() && LotText::from_stored(" ".to_owned()).is_err());
    }
}
