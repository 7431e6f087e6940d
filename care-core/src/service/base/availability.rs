//! Availability: whether the next step would be refused for lack of stock.

use crate::model::{Amount, Invoice, Prescription, Quantity, Stock};

/// Returns the quantity of a prescription of a tracked medicine.
pub(crate) fn quantity(prescription: &Prescription, stock: &Stock) -> Quantity {
    prescription.quantity.unwrap_or(stock.settings.supply_units)
}

/// Returns whether a tracked medicine with these usable units is available: it is not held, and has units that are not
/// reserved.
pub(crate) fn of_stock(stock: &Stock, usable: i64) -> bool {
    has(stock, usable, 1)
}

/// Returns whether a tracked medicine with these usable units has as many for another invoice.
pub(crate) fn has(stock: &Stock, usable: i64, units: i64) -> bool {
    !stock.settings.held && usable - stock.reserved.value() >= units
}

/// Returns whether a prescription of a tracked medicine is available, as far as that does not depend on its unpaid
/// invoice: for its invoice, or for the payment of one.
///
/// An invoice reserves no more than all of them together. So whatever it reserves is usable while units are left for
/// another one, and there is none while nothing is reserved.
pub(crate) fn without_invoice(prescription: &Prescription, stock: &Stock, usable: i64) -> Option<bool> {
    if stock.settings.held {
        return Some(false);
    }
    if has(stock, usable, quantity(prescription, stock).value()) {
        return Some(true);
    }
    (stock.reserved == Amount::ZERO).then_some(false)
}

/// Returns whether a prescription of a tracked medicine whose units are too few for an invoice is available for the
/// payment of this one.
pub(crate) fn for_payment(unpaid: Option<&Invoice>, usable: i64) -> bool {
    let reserved = unpaid.and_then(|unpaid| unpaid.quantity);
    reserved.is_some_and(|reserved| usable >= reserved.value())
}
