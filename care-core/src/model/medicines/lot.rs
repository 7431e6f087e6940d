//! Lots: units that arrived under one text with one expiry date.

use std::cmp::Ordering;

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{Date, LotText, MedicineName, Units};

/// The identity of a lot within a medicine: its text and its expiry date, either of which may be absent.
///
/// Lots are ordered as they are handed out, first expired first out (FEFO): by date, lots without one last; then by the
/// code points of the text, lots without one first.
///
/// ```
/// use care_core::model::{LotId, LotText};
///
/// let dated = LotId { lot: None, expires: Some("31/12/2026".parse()?) };
/// let named = LotId { lot: Some(LotText::new("A1")?), expires: None };
/// assert!(dated < named && LotId::default() < named);
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Record)]
#[record(body, document = "LotId")]
pub struct LotId {
    /// The text on the pack, compared without normalisation.
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

impl Ord for LotId {
    fn cmp(&self, other: &Self) -> Ordering {
        let dates = match (self.expires, other.expires) {
            (Some(one), Some(other)) => one.cmp(&other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        };
        dates.then_with(|| self.lot.cmp(&other.lot))
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
            id(Some(" a"), Some("01/01/2026")),
            id(Some("A"), Some("01/01/2026")),
            id(Some("a"), Some("01/01/2026")),
            id(Some("\u{fffd}"), Some("01/01/2026")),
            id(Some("\u{10000}"), Some("01/01/2026")),
            id(None, None),
            id(Some("0"), None),
        ];
        assert!(ordered.is_sorted_by(|one, next| one < next));
    }
}
