//! What an invoice took from which lots.

use serde::{Deserialize, Serialize};

use super::{Amount, InvoiceId, LotId, MedicineName, Shelf, Units};

/// What the payment of an invoice took from which lots, and what came back to them: so a return asks for one record,
/// however many there were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dispensing {
    /// The invoice.
    pub invoice_id: InvoiceId,
    /// The medicine, in the inventory's spelling of that day.
    pub medicine: MedicineName,
    /// Whether its prescription recurred then.
    pub is_regular: bool,
    /// The lots, in the order in which they were handed out; at most [`Shelf::MAX_LOTS`].
    pub lots: Vec<DispensedLot>,
}

/// What was taken from one lot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DispensedLot {
    /// What identifies the lot.
    #[serde(flatten)]
    pub id: LotId,
    /// The units that were handed out.
    pub units: Units,
    /// Those of them that came back.
    pub returned: Amount,
}

impl Dispensing {
    /// The most lots that one can name.
    pub const MAX_LOTS: usize = Shelf::MAX_LOTS;

    /// Notes that units came back to a lot; nothing, and no change, when that many were not handed out of it.
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
