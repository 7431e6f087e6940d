//! Availability: whether the next step would be refused for lack of stock.

use super::shelves::Tracked;
use crate::{
    model::{Amount, Date, Invoice, Item, Prescription, Quantity, Shelf, Stock},
    stock::{Levels, levels},
};

/// Returns the units of a tracked medicine by their state on a day.
pub(crate) fn levels_of(stock: &Stock, shelf: &Shelf, today: Date) -> Levels {
    levels(shelf, stock.reserved, stock.settings.keep_days, today)
}

/// Returns the quantity of a prescription of a tracked medicine.
pub(crate) fn quantity(prescription: &Prescription, stock: &Stock) -> Quantity {
    prescription.quantity.unwrap_or(stock.settings.supply_units)
}

/// Returns whether a tracked medicine is available: it is not held, and has units that are not reserved.
pub(crate) fn of_stock(stock: &Stock, shelf: &Shelf, today: Date) -> bool {
    !stock.settings.held && levels_of(stock, shelf, today).available >= 1
}

/// Returns whether an item of the inventory is available.
pub(super) fn of_item(item: &Item, tracked: Option<&Tracked>, today: Date) -> bool {
    tracked.map_or(item.is_available, |Tracked { stock, shelf }| of_stock(stock, shelf, today))
}

/// Returns whether a prescription of a tracked medicine is available, as far as that does not depend on its unpaid
/// invoice: for its invoice, or for the payment of one.
///
/// An invoice reserves no more than all of them together. So whatever it reserves is usable while units are left for
/// another one, and there is none while nothing is reserved.
pub(crate) fn without_invoice(prescription: &Prescription, tracked: &Tracked, today: Date) -> Option<bool> {
    let Tracked { stock, shelf } = tracked;
    if stock.settings.held {
        return Some(false);
    }
    if levels_of(stock, shelf, today).available >= quantity(prescription, stock).value() {
        return Some(true);
    }
    (stock.reserved == Amount::ZERO).then_some(false)
}

/// Returns whether a prescription of a tracked medicine whose units are too few for an invoice is available for the
/// payment of this one.
pub(crate) fn for_payment(unpaid: Option<&Invoice>, tracked: &Tracked, today: Date) -> bool {
    let Tracked { stock, shelf } = tracked;
    let reserved = unpaid.and_then(|unpaid| unpaid.quantity);
    reserved.is_some_and(|reserved| levels_of(stock, shelf, today).usable >= reserved.value())
}
