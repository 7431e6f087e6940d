//! The medicine inventory.

use super::{CareService, Expected, Page, written::Written};
use crate::{
    error::{Conflict, Error, Kind},
    model::{Item, ItemDetails, MedicineKey, MedicineName},
    store::{Limit, Query, RecordKey, Versioned},
};

impl CareService {
    /// The inventory's item for this medicine.
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn item(&self, medicine: MedicineKey) -> Result<Versioned<Item>, Error> {
        self.ask(|seen| Ok(seen.take::<Item>(medicine.clone())?.ok_or(Error::NotFound(Kind::Item))?)).await
    }

    /// A page of the inventory by folded name, after the given one.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn items(&self, after: Option<MedicineKey>, limit: impl Into<Limit>) -> Result<Page<Item>, Error> {
        self.page(Query::Items { after }, limit.into()).await
    }

    /// Adds a medicine to the inventory (operation 8).
    ///
    /// # Errors
    /// [`Conflict::ItemExists`], and the store's failures.
    pub async fn add_item(&self, medicine: MedicineName, details: ItemDetails) -> Result<Versioned<Item>, Error> {
        self.write(self.request("addMedicine", (&medicine, &details))?, move |draft| {
            if draft.get::<Item>(medicine.key().clone())?.is_some() {
                return Err(Conflict::ItemExists.into());
            }
            let item = Item::new(medicine.clone()).with(details.clone());
            draft.put(item.clone());
            Ok(Written::now(item))
        })
        .await
    }

    /// Changes what the details name of an item, and nothing else (operation 9).
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], and the store's failures.
    pub async fn update_item(
        &self,
        medicine: MedicineKey,
        details: ItemDetails,
        expected: Expected,
    ) -> Result<Versioned<Item>, Error> {
        self.write(self.request("updateMedicine", (&medicine, &details, &expected))?, move |draft| {
            let found = draft.stored::<Item>(RecordKey::Item(medicine.clone()))?;
            let found = found.ok_or(Error::NotFound(Kind::Item))?;
            expected.check(Kind::Item, &found)?;
            let item = found.record.clone().with(details.clone());
            draft.put(item.clone());
            Ok(Written::over(&found, item))
        })
        .await
    }

    /// Removes a medicine from the inventory. Prescriptions of it stay, and it is not available for them.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], and the store's failures.
    pub async fn remove_item(&self, medicine: MedicineKey, expected: Expected) -> Result<(), Error> {
        self.take_away(self.request("deleteMedicine", (&medicine, &expected))?, move |draft| {
            let found = draft.stored::<Item>(RecordKey::Item(medicine.clone()))?;
            expected.check(Kind::Item, &found.ok_or(Error::NotFound(Kind::Item))?)?;
            draft.remove(RecordKey::Item(medicine.clone()));
            Ok(())
        })
        .await
    }
}
