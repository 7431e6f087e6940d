//! The medicine inventory.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{Currency, MedicineName, Patch, Price, ShortText, record::setters};

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
#[derive(Debug, Clone, PartialEq, Record)]
#[record(table = "item", key(medicine_key), keyed(medicine))]
#[record(document = "Inventory", root = "Inventory")]
pub struct Item {
    /// Name of the stocked medicine, in its first spelling.
    pub medicine: MedicineName,
    /// Whether the medicine is currently in stock.
    pub is_available: bool,
    /// Dosage formulation.
    #[field(example = "1-0-1")]
    pub dosage: Option<ShortText>,
    /// Whether it is available for recurring subscriptions.
    #[field(example = false)]
    pub is_regular: Option<bool>,
    /// Unit price in whole units of the currency.
    pub price: Option<Price>,
    /// Currency of the price.
    pub currency: Option<Currency>,
}

/// The fields of an item that a request adds or updates.
///
/// ```
/// use care_core::model::ItemDetails;
///
/// let details = ItemDetails::default().dosage("tablet")?.price(4)?.currency("EUR")?;
/// assert!(ItemDetails::default().price(-1).is_err());
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ItemDetails {
    /// Whether the medicine is in stock. `Clear` sets it to true, which is also the default.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub is_available: Patch<bool>,
    /// Dosage formulation.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub dosage: Patch<ShortText>,
    /// Whether it is available for recurring subscriptions.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub is_regular: Patch<bool>,
    /// Unit price in whole units of the currency.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub price: Patch<Price>,
    /// Currency of the price.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub currency: Patch<Currency>,
}

impl ItemDetails {
    setters! {
        /// Sets whether the medicine is in stock.
        is_available: bool;
        /// Sets the dosage formulation.
        dosage: ShortText;
        /// Sets whether it is available for recurring subscriptions.
        is_regular: bool;
        /// Sets the unit price in whole units of the currency.
        price: Price;
        /// Sets the currency of the price.
        currency: Currency;
    }
}

impl Item {
    /// Returns an item without optional fields that is in stock.
    pub const fn new(medicine: MedicineName) -> Self {
        Self { medicine, is_available: true, dosage: None, is_regular: None, price: None, currency: None }
    }

    /// Returns the item after an update, which changes only the fields that it names.
    #[must_use]
    pub fn with(self, details: ItemDetails) -> Self {
        Self {
            medicine: self.medicine,
            is_available: details.is_available.over(Some(self.is_available)).unwrap_or(true),
            dosage: details.dosage.over(self.dosage),
            is_regular: details.is_regular.over(self.is_regular),
            price: details.price.over(self.price),
            currency: details.currency.over(self.currency),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
