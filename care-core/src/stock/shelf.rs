//! Changes of a shelf.

use care_derive::Record;

use super::is_usable;
use crate::model::{Amount, Date, Delta, KeepDays, LotId, Shelf, ShelfError, Units};

/// A change of one lot, with the data of its movement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The lot.
    pub lot: LotId,
    /// The units that came to the lot, or left it.
    pub units: Delta,
    /// The medicine's units after the change.
    pub balance: Amount,
}

/// The count of one lot.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(body, document = "CountedLotInput")]
pub struct LotCount {
    /// The lot.
    #[field(group)]
    pub lot: LotId,
    /// The counted units.
    #[field(example = 98)]
    pub counted: Amount,
}

/// Adds units to a lot, or takes them from it.
///
/// # Errors
/// The limit that the shelf would exceed. The shelf is then unchanged.
pub fn apply(shelf: &mut Shelf, lot: LotId, units: Delta) -> Result<Step, ShelfError> {
    if units.value() > 0 {
        shelf.add(lot.clone(), units.units())?;
    } else {
        shelf.take(&lot, units.units())?;
    }
    Ok(Step { lot, units, balance: shelf.on_hand() })
}

/// Takes units from the usable lots, first expired first out. Returns one step for each lot that gives units.
///
/// # Errors
/// [`ShelfError::TooFew`] when fewer units are usable. The shelf is then unchanged.
pub fn take(shelf: &mut Shelf, units: Units, keep: KeepDays, today: Date) -> Result<Vec<Step>, ShelfError> {
    let mut wanted = units.value();
    let mut parts = Vec::new();
    for lot in shelf.lots().iter().filter(|lot| is_usable(lot, keep, today)) {
        // The remaining number is at least 1 here, so it is a number of units.
        let Ok(part) = Units::try_from(wanted.min(lot.on_hand.value())) else {
            break;
        };
        wanted -= part.value();
        parts.push((lot.id.clone(), part));
    }
    if wanted > 0 {
        return Err(ShelfError::TooFew);
    }
    parts.into_iter().map(|(lot, part)| apply(shelf, lot, part.taken())).collect()
}

/// Sets lots to their counts. Returns one step for each lot whose count differs; lots without a count stay. Missing
/// units come first, so that each line of the ledger stays within the limits of a shelf.
///
/// # Errors
/// The limit that the result would exceed. The shelf is then unchanged.
pub fn count(shelf: &mut Shelf, lines: &[LotCount]) -> Result<Vec<Step>, ShelfError> {
    let mut differing: Vec<_> = lines
        .iter()
        .filter_map(|line| {
            let there = shelf.of(&line.lot).map_or(0, Units::value);
            Delta::try_from(line.counted.value() - there).ok().map(|delta| (line.lot.clone(), delta))
        })
        .collect();
    differing.sort_by_key(|(_, delta)| delta.value() > 0);
    let mut counted = shelf.clone();
    let steps = differing.into_iter().map(|(lot, delta)| apply(&mut counted, lot, delta)).collect::<Result<_, _>>()?;
    *shelf = counted;
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LotText;

    fn id(lot: &str, expires: Option<&str>) -> LotId {
        LotId { lot: Some(LotText::new(lot).unwrap()), expires: expires.map(|day| day.parse().unwrap()) }
    }

    fn shelf() -> Shelf {
        let mut shelf = Shelf::default();
        for (lot, units) in [
            (id("b", Some("10/03/2026")), 5),
            (id("a", Some("10/03/2026")), 3),
            (id("old", Some("01/03/2026")), 9),
            (id("c", None), 4),
        ] {
            shelf.add(lot, Units::try_from(units).unwrap()).unwrap();
        }
        shelf
    }

    fn handed(units: i64) -> Result<Vec<(String, i64, i64)>, ShelfError> {
        let today = "05/03/2026".parse().unwrap();
        let steps = take(&mut shelf(), Units::try_from(units).unwrap(), KeepDays::clamped(0), today)?;
        let row = |step: Step| (step.lot.lot.unwrap().to_string(), step.units.value(), step.balance.value());
        Ok(steps.into_iter().map(row).collect())
    }

    #[test]
    fn what_expires_first_goes_out_first() {
        let row = |lot: &str, units, balance| (lot.to_owned(), units, balance);
        assert_eq!(handed(2).unwrap(), [row("a", -2, 19)]);
        assert_eq!(handed(9).unwrap(), [row("a", -3, 18), row("b", -5, 13), row("c", -1, 12)]);
        assert_eq!(handed(12).unwrap().len(), 3);
        // Nine more units are in stock, but expired.
        assert_eq!(handed(13), Err(ShelfError::TooFew));
    }

    #[test]
    fn a_count_moves_what_differs() {
        let mut counted = shelf();
        let line = |lot, units| LotCount { lot, counted: Amount::try_from(units).unwrap() };
        let lines = [
            line(id("new", Some("01/01/2026")), 6),
            line(id("a", Some("10/03/2026")), 3),
            line(id("b", Some("10/03/2026")), 0),
            line(id("none", None), 0),
        ];
        let steps = count(&mut counted, &lines).unwrap();
        let moved: Vec<_> = steps.iter().map(|step| (step.units.value(), step.balance.value())).collect();
        assert_eq!(moved, [(-5, 16), (6, 22)]);
        assert_eq!(counted.lots().len(), 4);
        assert!(count(&mut counted, &lines).unwrap().is_empty());
    }

    #[test]
    fn the_limits_hold_for_the_result_of_all_lines() {
        let mut full = Shelf::default();
        let lot = |number: usize| LotId { lot: Some(LotText::new(number.to_string()).unwrap()), expires: None };
        for number in 0..64 {
            full.add(lot(number), Units::try_from(1).unwrap()).unwrap();
        }
        let line = |number, units| LotCount { lot: lot(number), counted: Amount::try_from(units).unwrap() };
        let before = full.clone();
        assert_eq!(count(&mut full, &[line(64, 1)]), Err(ShelfError::TooManyLots));
        assert_eq!(count(&mut full, &[line(0, 1_000_000_000)]), Err(ShelfError::TooMuch));
        assert_eq!(full, before);
        assert_eq!(count(&mut full, &[line(64, 1), line(63, 0)]).unwrap().len(), 2);
    }
}
