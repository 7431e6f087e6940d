//! Movements of stock, and the lots from which an invoice took units.

use super::row::row;
use crate::model::{Dispensing, Movement};

// A movement is reversed by one other at most.
row! {
    Movement in "movement":
    movement_id;
    medicine found, kind, reason, units, balance, lot, expires, day, invoice_id indexed, prescription_id,
    reverses indexed, cost, currency, note;
    second_key true
}

row! {
    Dispensing in "dispensing":
    invoice_id;
    medicine keyed, is_regular, lots json
}
