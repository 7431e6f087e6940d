//! Updating the daily counts.

use super::usable_until;
use crate::model::{Amount, KeepDays, Movement, MovementKind, Shelf, StockDay};

/// Adds a movement to the counts of its day, with the shelf after it. `is_regular` says whether the prescription of a
/// dispensing or a return recurs, `undone` is the kind of movement that a reversal reverses.
pub fn note(
    day: &mut StockDay,
    movement: &Movement,
    is_regular: bool,
    undone: Option<MovementKind>,
    shelf: &Shelf,
    keep: KeepDays,
) {
    let delta = movement.units.value();
    let units = delta.unsigned_abs();
    match (movement.kind, undone) {
        (MovementKind::Receipt, _) => {
            day.receipts += 1;
            day.received += delta;
        }
        (MovementKind::Reversal, Some(MovementKind::Receipt)) => {
            day.receipts -= 1;
            day.received += delta;
        }
        (MovementKind::Removal, _) | (MovementKind::Reversal, _) => day.removed -= delta,
        (MovementKind::Dispense, _) if is_regular => day.dispensed_regular += units,
        (MovementKind::Dispense, _) => day.dispensed += units,
        (MovementKind::Return, _) if is_regular => day.returned_regular += units,
        (MovementKind::Return, _) => day.returned += units,
        (MovementKind::Adjustment, _) => day.adjusted += delta,
    }
    day.on_hand = shelf.on_hand();
    day.usable = Amount::clamped(super::levels(shelf, Amount::ZERO, keep, day.day).usable);
    day.usable_until = usable_until(shelf, keep);
}
