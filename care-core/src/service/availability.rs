//! Availability: whether the next step would be refused for lack of stock.

use crate::{
    model::{Date, Invoice, Item, Prescription, Quantity, Stock},
    stock::{Levels, levels},
};

/// Returns the units of a tracked medicine by their state on a day.
pub(super) fn levels_of(stock: &Stock, today: Date) -> Levels {
    levels(&stock.shelf, stock.reserved, stock.settings.keep_days, today)
}

/// Returns the quantity of a prescription of a tracked medicine.
pub(super) fn quantity(prescription: &Prescription, stock: &Stock) -> Quantity {
    prescription.quantity.unwrap_or(stock.settings.supply_units)
}

/// Returns whether a tracked medicine is available: it is not held, and has units that are not reserved.
pub(super) fn of_stock(stock: &Stock, today: Date) -> bool {
    !stock.settings.held && levels_of(stock, today).available >= 1
}

/// Returns whether an item of the inventory is available.
pub(super) fn of_item(item: &Item, stock: Option<&Stock>, today: Date) -> bool {
    stock.map_or(item.is_available, |stock| of_stock(stock, today))
}

/// Returns whether a prescription of a tracked medicine is available: for its payment when an invoice reserves units,
/// otherwise for its invoice.
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
