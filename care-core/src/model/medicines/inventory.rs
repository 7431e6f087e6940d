//! The medicine inventory.

use care_derive::Record;

use crate::model::{Currency, MedicineName, Price, ShortText};

/// Availability and pricing of a medicine in stock.
///
/// The interface document describes such an item in 2.3.
///
/// ```json
/// {"medicine":"Ibuprofen 400","isAvailable":true,"dosage":"tablet","isRegular":false,"price":4,"currency":"EUR"}
/// ```
/// ```xml
/// <Inventory><medicine>Ibuprofen 400</medicine><isAvailable>true</isAvailable></Inventory>
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "item", key(medicine_key), keyed(medicine))]
#[record(document = "Inventory", root = "Inventory")]
#[record(new, details = ItemDetails)]
pub struct Item {
    /// Name of the stocked medicine, in its first spelling.
    pub medicine: MedicineName,
    /// Whether the medicine is currently in stock.
    #[field(edit, default = true)]
    pub is_available: bool,
    /// Dosage formulation.
    #[field(example = "1-0-1", edit)]
    pub dosage: Option<ShortText>,
    /// Whether it is available for recurring subscriptions.
    #[field(example = false, edit)]
    pub is_regular: Option<bool>,
    /// Unit price in whole units of the currency.
    #[field(edit)]
    pub price: Option<Price>,
    /// Currency of the price.
    #[field(edit)]
    pub currency: Option<Currency>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Patch;

    #[test]
    fn availability_is_true_unless_said_otherwise() -> Result<(), crate::model::Invalid> {
        let item = Item::new(MedicineName::new("Ibuprofen")?);
        let said = |is_available| ItemDetails { is_available, ..ItemDetails::default() };
        assert!(item.is_available);
        let gone = item.with(said(Patch::Set(false)));
        assert!(!gone.is_available && !gone.clone().with(said(Patch::Keep)).is_available);
        assert!(gone.with(said(Patch::Clear)).is_available);
        Ok(())
    }
}
