//! The open lots of a medicine.

use serde::{Deserialize, Serialize};

use crate::model::{Amount, Invalid, Lot, LotId, Units};

/// The open lots of a medicine in the order in which they are handed out. Each lot is there once; a shelf has at most
/// 64 lots and at most 10^9 units in all.
///
/// ```
/// use care_core::model::{LotId, Shelf, Units};
///
/// let mut shelf = Shelf::default();
/// shelf.add(LotId::default(), Units::try_from(10)?)?;
/// shelf.take(&LotId::default(), Units::try_from(4)?)?;
/// assert_eq!(shelf.on_hand().value(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<Lot>", into = "Vec<Lot>")]
pub struct Shelf(Vec<Lot>);

/// The reason why a shelf refuses a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ShelfError {
    /// The lot has too few units.
    #[error("the lot has fewer units")]
    TooFew,
    /// The lot would be the 65th with units.
    #[error("the medicine has 64 open lots")]
    TooManyLots,
    /// The shelf would have more than 10^9 units.
    #[error("the medicine would have too many units")]
    TooMuch,
}

impl Shelf {
    /// The highest number of open lots of a medicine.
    pub const MAX_LOTS: usize = 64;

    /// Returns the lots, in the order in which they are handed out.
    pub fn lots(&self) -> &[Lot] {
        &self.0
    }

    /// Returns the number of all units.
    pub fn on_hand(&self) -> Amount {
        Amount::try_from(self.units()).unwrap_or(Amount::ZERO)
    }

    /// Returns the units of one lot, or `None` when it is not open.
    pub fn of(&self, id: &LotId) -> Option<Units> {
        self.place(id).ok().map(|place| self.0[place].on_hand)
    }

    /// Adds units to a lot, and opens the lot when it is not open.
    ///
    /// # Errors
    /// [`ShelfError::TooManyLots`], [`ShelfError::TooMuch`]; the shelf is then unchanged.
    pub fn add(&mut self, id: LotId, units: Units) -> Result<(), ShelfError> {
        let place = self.place(&id);
        if place.is_err() && self.0.len() >= Self::MAX_LOTS {
            return Err(ShelfError::TooManyLots);
        }
        if self.units() + units.value() > Amount::MAX {
            return Err(ShelfError::TooMuch);
        }
        match place {
            Ok(place) => {
                let lot = &mut self.0[place];
                let sum = lot.on_hand.value() + units.value();
                lot.on_hand = Units::try_from(sum).map_err(|_| ShelfError::TooMuch)?;
            }
            Err(place) => self.0.insert(place, Lot { id, on_hand: units }),
        }
        Ok(())
    }

    /// Takes units from a lot, and closes the lot with its last unit.
    ///
    /// # Errors
    /// [`ShelfError::TooFew`]; the shelf is then unchanged.
    pub fn take(&mut self, id: &LotId, units: Units) -> Result<(), ShelfError> {
        let place = self.place(id).map_err(|_| ShelfError::TooFew)?;
        let left = self.0[place].on_hand.value() - units.value();
        match Units::try_from(left) {
            Ok(left) => self.0[place].on_hand = left,
            Err(_) if left == 0 => drop(self.0.remove(place)),
            Err(_) => return Err(ShelfError::TooFew),
        }
        Ok(())
    }

    fn units(&self) -> i64 {
        self.0.iter().map(|lot| lot.on_hand.value()).sum()
    }

    fn place(&self, id: &LotId) -> Result<usize, usize> {
        self.0.binary_search_by(|lot| lot.id.cmp(id))
    }
}

impl TryFrom<Vec<Lot>> for Shelf {
    type Error = Invalid;

    fn try_from(lots: Vec<Lot>) -> Result<Self, Invalid> {
        let shelf = Self(lots);
        let is_ordered = shelf.0.is_sorted_by(|one, next| one.id < next.id);
        if !is_ordered || shelf.0.len() > Self::MAX_LOTS || shelf.units() > Amount::MAX {
            return Err(Invalid("must be at most 64 lots in their order, each once, of at most 1000000000 units"));
        }
        Ok(shelf)
    }
}

impl From<Shelf> for Vec<Lot> {
    fn from(shelf: Shelf) -> Self {
        shelf.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LotText;

    fn id(number: usize) -> LotId {
        LotId { lot: Some(LotText::new(format!("{number:03}")).unwrap()), expires: None }
    }

    fn units(number: i64) -> Units {
        Units::try_from(number).unwrap()
    }

    #[test]
    fn lots_are_opened_and_closed() {
        let mut shelf = Shelf::default();
        assert_eq!(shelf.take(&id(1), units(1)), Err(ShelfError::TooFew));
        shelf.add(id(2), units(5)).unwrap();
        shelf.add(id(1), units(3)).unwrap();
        shelf.add(id(2), units(5)).unwrap();
        assert_eq!(shelf.lots().iter().map(|lot| lot.on_hand.value()).collect::<Vec<_>>(), [3, 10]);
        assert_eq!(shelf.take(&id(2), units(11)), Err(ShelfError::TooFew));
        shelf.take(&id(2), units(10)).unwrap();
        assert_eq!((shelf.of(&id(2)), shelf.on_hand().value()), (None, 3));
    }

    #[test]
    fn a_shelf_has_an_end() {
        let mut shelf = Shelf::default();
        for number in 0..64 {
            shelf.add(id(number), units(1)).unwrap();
        }
        assert_eq!(shelf.add(id(64), units(1)), Err(ShelfError::TooManyLots));
        assert_eq!(shelf.add(id(63), units(Units::MAX - 63)), Err(ShelfError::TooMuch));
        shelf.add(id(63), units(Units::MAX - 64)).unwrap();
        assert_eq!(shelf.add(id(1), units(1)), Err(ShelfError::TooMuch));
        shelf.take(&id(0), units(1)).unwrap();
        shelf.add(id(64), units(1)).unwrap();
    }

    #[test]
    fn lots_that_are_no_shelf_are_refused() {
        let lot = |number| Lot { id: id(number), on_hand: units(600_000_000) };
        assert!(Shelf::try_from(vec![lot(1)]).is_ok());
        for refused in [vec![lot(1), lot(2)], vec![lot(1), lot(1)], vec![lot(2), lot(1)]] {
            assert!(Shelf::try_from(refused).is_err());
        }
        let text = r#"[{"lot":"a","expires":"31/01/2026","onHand":5},{"onHand":6}]"#;
        let shelf: Shelf = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&shelf).unwrap(), text);
    }
}
