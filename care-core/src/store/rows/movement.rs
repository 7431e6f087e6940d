//! Movements of stock, and the lots from which an invoice took units.

use super::row::row;
use crate::model::{Dispensing, Movement};

// A movement is reversed by one other at most.
row! {
    Movement in "movement":
    movement_id;
    medicine keyed, kind, reason, units, balance, lot, expires, day, invoice_id, prescription_id, reverses, cost,
    currency, note;
    indexed medicine_key, invoice_id, reverses;
    second_key true
}

row! {
    Dispensing in "dispensing":
    invoice_id;
    medicine keyed, is_regular, lots json
}
