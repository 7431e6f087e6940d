//! Daily counts of movements, from which advice on restocking is computed.

use care_derive::Record;

use crate::model::{Amount, Date, MedicineName};

/// The movements of a medicine on one day, counted, and its stock at the end of that day. Days without a movement have
/// none.
///
/// Every decision that moves units updates it, so that advice over any period reads one row for each medicine and day
/// instead of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "stock_day", key(medicine_key, day), keyed(medicine))]
pub struct StockDay {
    /// The medicine, in the spelling of its first movement of the day.
    pub medicine: MedicineName,
    /// The day.
    pub day: Date,
    /// The number of receipts, less those undone on the day.
    pub receipts: i64,
    /// The units received, less those of receipts undone on the day.
    pub received: i64,
    /// The units handed out to prescriptions that do not recur.
    pub dispensed: u64,
    /// The units of such prescriptions that came back.
    pub returned: u64,
    /// The units handed out to regular prescriptions.
    pub dispensed_regular: u64,
    /// The units of regular prescriptions that came back.
    pub returned_regular: u64,
    /// The units removed, less those of removals undone on the day.
    pub removed: i64,
    /// The units that starting and counting found, less those they missed.
    pub adjusted: i64,
    /// All units at the end of the day.
    pub on_hand: Amount,
    /// The usable units at the end of the day.
    pub usable: Amount,
    /// The last day on which any unit in stock is usable: [`Date::MAX`] when some unit never expires, `None` when there
    /// is no stock.
    pub usable_until: Option<Date>,
}

impl StockDay {
    /// Returns a day without movements.
    pub const fn new(medicine: MedicineName, day: Date) -> Self {
        Self {
            medicine,
            day,
            receipts: 0,
            received: 0,
            dispensed: 0,
            returned: 0,
            dispensed_regular: 0,
            returned_regular: 0,
            removed: 0,
            adjusted: 0,
            on_hand: Amount::ZERO,
            usable: Amount::ZERO,
            usable_until: None,
        }
    }
}
