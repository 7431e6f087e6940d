//! Movements of stock: the ledger.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{
    Amount, Currency, Date, Delta, Invalid, InvoiceId, LotId, LotText, MedicineName, MovementId, Note, PrescriptionId,
    Price, Units, values::words::words,
};

/// A line of the ledger: units that came to a lot or left it.
///
/// A movement is never changed and never removed, but for a note that an erasure takes.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "movement", key(movement_id), keyed(medicine))]
#[record(derived(lot_key), new, owner(invoice = invoice_id, on_void = keep))]
#[record(document = "Movement", root = "Movement", answered(movements, movement_id))]
pub struct Movement {
    /// The number of the movement, over all medicines. The series has no gaps.
    pub movement_id: MovementId,
    /// The medicine, in the inventory's spelling of that day.
    #[field(kept)]
    pub medicine: MedicineName,
    /// The kind of the movement.
    #[field(kept)]
    pub kind: MovementKind,
    /// The reason of a removal or an adjustment.
    #[field(kept)]
    pub reason: Option<MovementReason>,
    /// The units that came; negative for units that left.
    #[field(kept)]
    pub units: Delta,
    /// The medicine's units after the movement.
    #[field(kept, example = 100)]
    pub balance: Amount,
    /// The text of the lot, in its first spelling within the medicine.
    #[field(kept, example = "A1")]
    pub lot: Option<LotText>,
    /// The last day on which the lot is good.
    #[field(kept, example = "31/12/2027")]
    pub expires: Option<Date>,
    /// The facility's day of the movement.
    #[field(kept, example = "15/03/2026")]
    pub day: Date,
    /// The invoice whose payment took the units, or whose units came back.
    #[field(kept)]
    pub invoice_id: Option<InvoiceId>,
    /// The prescription of that invoice.
    #[field(kept)]
    pub prescription_id: Option<PrescriptionId>,
    /// The movement that this one reverses.
    #[field(kept)]
    pub reverses: Option<MovementId>,
    /// The total cost of a receipt in whole units of the currency.
    #[field(kept)]
    pub cost: Option<Price>,
    /// Currency of the cost.
    #[field(kept)]
    pub currency: Option<Currency>,
    /// The units that a receipt took from what was on order; absent when it took none. Its reversal gives them back.
    #[field(kept, example = 60)]
    pub from_order: Option<Units>,
    /// A note.
    #[field(personal, example = "shelf 2")]
    pub note: Option<Note>,
}

/// The kind of a movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MovementKind {
    /// Units arrived.
    Receipt,
    /// Units were handed out, by the payment of an invoice.
    Dispense,
    /// Units that had been handed out came back.
    Return,
    /// Units left for another reason.
    Removal,
    /// Units that were found or missing when tracking started, or at a count.
    Adjustment,
    /// An earlier movement was reversed.
    Reversal,
}

/// The reason of a removal or an adjustment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MovementReason {
    /// Removal: past the expiry date.
    Expired,
    /// Removal: damaged.
    Damaged,
    /// Removal: lost.
    Lost,
    /// Removal: recalled.
    Recalled,
    /// Removal: returned to the supplier.
    Supplier,
    /// Removal for another reason, which the note gives.
    Other,
    /// Adjustment: in stock when tracking started.
    Opening,
    /// Adjustment: counted.
    Count,
}

impl Movement {
    /// Returns the folded text of the lot.
    pub fn lot_key(&self) -> Option<&str> {
        self.lot.as_ref().map(|lot| lot.key().as_str())
    }

    /// Returns the identity of the lot that it moves.
    pub fn lot_id(&self) -> LotId {
        LotId { lot: self.lot.clone(), expires: self.expires }
    }
}

words!(
    MovementKind, "must be receipt, dispense, return, removal, adjustment or reversal",
    "receipt" => Receipt, "dispense" => Dispense, "return" => Return, "removal" => Removal,
    "adjustment" => Adjustment, "reversal" => Reversal
);
words!(
    MovementReason, "must be expired, damaged, lost, recalled, supplier or other",
    "expired" => Expired, "damaged" => Damaged, "lost" => Lost, "recalled" => Recalled, "supplier" => Supplier,
    "other" => Other, "opening" => Opening, "count" => Count
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_movement_reads_back_as_it_is_written() {
        let text = concat!(
            r#"{"movementId":7,"medicine":"Ibuprofen","kind":"removal","reason":"expired","units":-3,"balance":4,"#,
            r#""lot":"A1","expires":"31/01/2026","day":"01/02/2026","note":"shelf 2"}"#
        );
        let movement: Movement = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&movement).unwrap(), text);
        assert_eq!(movement.lot_id().lot.unwrap().as_str(), "A1");
    }

    #[test]
    fn words_read_back() {
        for kind in MovementKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        for reason in MovementReason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
        }
    }
}
