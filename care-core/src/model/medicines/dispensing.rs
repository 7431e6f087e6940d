//! The lots from which invoices took their units.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{Amount, InvoiceId, LotId, MedicineName, MovementId, Shelf, Units};

/// The units that the payment of an invoice took, by lot, and the units that came back. With it a return reads one
/// record instead of all movements of the invoice.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "dispensing", key(invoice_id), keyed(medicine), owner(invoice = invoice_id, on_void = keep))]
pub struct Dispensing {
    /// The invoice.
    pub invoice_id: InvoiceId,
    /// The medicine, in the inventory's spelling of that day.
    #[field(kept)]
    pub medicine: MedicineName,
    /// Whether the prescription was regular at the payment.
    #[field(kept)]
    pub is_regular: bool,
    /// The [`tracked_since`](crate::model::Stock::tracked_since) of the stock: of a medicine that is tracked anew,
    /// nothing of before comes back with a refund.
    #[field(kept)]
    pub tracked_since: Option<MovementId>,
    /// The lots in the order in which they were handed out; at most [`Shelf::MAX_LOTS`].
    #[field(kept)]
    pub lots: Vec<DispensedLot>,
}

/// The units taken from one lot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DispensedLot {
    /// The identity of the lot.
    #[serde(flatten)]
    pub id: LotId,
    /// The units handed out.
    pub units: Units,
    /// The units that came back.
    pub returned: Amount,
}

impl Dispensing {
    /// The highest number of lots in one record.
    pub const MAX_LOTS: usize = Shelf::MAX_LOTS;

    /// Notes that units came back to a lot. Returns `None`, without a change, when fewer units were handed out of it.
    pub fn take_back(&mut self, id: &LotId, units: Units) -> Option<()> {
        let lot = self.lots.iter_mut().find(|lot| lot.id == *id)?;
        let returned = lot.returned.value() + units.value();
        if returned > lot.units.value() {
            return None;
        }
        lot.returned = Amount::clamped(returned);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_comes_back_than_went_out() {
        let text = r#"{"invoiceId":1,"medicine":"x","isRegular":false,"lots":[{"lot":"a","units":5,"returned":0}]}"#;
        let mut dispensing: Dispensing = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&dispensing).unwrap(), text);
        let lot = dispensing.lots[0].id.clone();
        let units = |number: i64| Units::try_from(number).unwrap();
        assert_eq!(dispensing.take_back(&LotId::default(), units(1)), None);
        assert_eq!(dispensing.take_back(&lot, units(6)), None);
        assert_eq!(dispensing.take_back(&lot, units(3)), Some(()));
        assert_eq!(dispensing.take_back(&lot, units(3)), None);
        assert_eq!(dispensing.take_back(&lot, units(2)), Some(()));
    }
}
