//! Whether the next step would be refused for want of stock.

use crate::{
    model::{Date, Invoice, Item, Prescription, Quantity, Stock},
    stock::{Levels, levels},
};

/// Returns the units of a tracked medicine on a day.
pub(super) fn levels_of(stock: &Stock, today: Date) -> Levels {
    levels(&stock.shelf, stock.reserved, stock.settings.keep_days, today)
}

/// Returns the units that a prescription is for, once its medicine is tracked.
pub(super) fn quantity(prescription: &Prescription, stock: &Stock) -> Quantity {
    prescription.quantity.unwrap_or(stock.settings.supply_units)
}

/// Returns whether a tracked medicine is available: it is not held, and something is there that is not reserved.
pub(super) fn of_stock(stock: &Stock, today: Date) -> bool {
    !stock.settings.held && levels_of(stock, today).available >= 1
}

/// Returns whether an item of the inventory is available.
pub(super) fn of_item(item: &Item, stock: Option<&Stock>, today: Date) -> bool {
    stock.map_or(item.is_available, |stock| of_stock(stock, today))
}

/// Returns whether a prescription of a tracked medicine is available: to be paid when its invoice reserves units, else
/// to be invoiced.
pub(super) fn of_prescription(
    prescription: &Prescription,
    unpaid: Option<&Invoice>,
    stock: &Stock,
    today: Date,
) -> bool {
    let there = levels_of(stock, today);
    let is_enough = match unpaid.and_then(|unpaid| unpaid.quantity) {
        Some(reserved) => there.usable >= reserved.value(),
        None => there.available >= quantity(prescription, stock).value(),
    };
    !stock.settings.held && is_enough
}
