//! Movements of stock: the ledger.

use serde::{Deserialize, Serialize};

use super::{
    Amount, Currency, Date, Delta, Invalid, InvoiceId, LotId, LotText, MedicineName, MovementId, Note, PrescriptionId,
    Price, words::words,
};

/// One line of the ledger: units that came to a lot or left it. It is never changed and never removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Movement {
    /// Its number, over all medicines; the series has no gaps.
    pub movement_id: MovementId,
    /// The medicine, in the inventory's spelling of that day.
    pub medicine: MedicineName,
    /// What happened.
    pub kind: MovementKind,
    /// Why units were removed or adjusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<MovementReason>,
    /// The units that came, or left when it is negative.
    pub units: Delta,
    /// The units of the medicine afterwards.
    pub balance: Amount,
    /// The lot's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lot: Option<LotText>,
    /// The last day that the lot is good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Date>,
    /// The facility's day on which it happened.
    pub day: Date,
    /// The invoice that was paid, or whose units came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invoice_id: Option<InvoiceId>,
    /// The prescription of that invoice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prescription_id: Option<PrescriptionId>,
    /// The movement that it is the opposite of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverses: Option<MovementId>,
    /// What a receipt cost in all, in whole units of the currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Price>,
    /// Currency of the cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// What was noted about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
}

/// What a movement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MovementKind {
    /// Units arrived.
    Receipt,
    /// Units were handed out, by the payment of an invoice.
    Dispense,
    /// Units that had been handed out came back.
    Return,
    /// Units left otherwise.
    Removal,
    /// Starting or counting found units, or missed them.
    Adjustment,
    /// An earlier movement was undone.
    Reversal,
}

/// Why units were removed or adjusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MovementReason {
    /// Removed: past its date.
    Expired,
    /// Removed: damaged.
    Damaged,
    /// Removed: lost.
    Lost,
    /// Removed: recalled.
    Recalled,
    /// Removed: gone back to the supplier.
    Supplier,
    /// Removed for a reason that the note gives.
    Other,
    /// Adjusted: there when tracking started.
    Opening,
    /// Adjusted: counted.
    Count,
}

impl Movement {
    /// The lot that it moves.
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
