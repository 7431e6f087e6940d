//! The medicine inventory.

use super::{
    CareService, ExpectedVersion, LiveItem, Page,
    base::{
        answer::WriteAnswer,
        live::{is_available, need_usable, usable},
        new_values::{refuse, too_high},
    },
    stock,
};
use crate::{
    error::{Conflict, Error},
    kinds::RecordKind,
    model::{Date, Item, ItemDetails, MedicineKey, MedicineName, Patch, Price, Stock},
    operation::Operation,
    store::{Ask, ItemFilter, Limit, RecordKey, Seen, Stop, Versioned},
};

impl CareService {
    /// Returns the inventory's item for this medicine.
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn item(&self, medicine: MedicineKey) -> Result<Versioned<LiveItem>, Error> {
        let today = self.today()?;
        self.ask(|seen| {
            seen.need([RecordKey::Item(medicine.clone()).into(), RecordKey::Stock(medicine.clone()).into()])?;
            let of_stock = of_stock(seen, medicine.clone(), today)?;
            let found = seen.take::<Item>(medicine.clone())?.ok_or(Error::NotFound(RecordKind::Item))?;
            Ok(found.map(|item| LiveItem::new(item, of_stock)))
        })
        .await
    }

    /// Returns a page of the inventory by folded name, after the given one.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn items(
        &self,
        filter: ItemFilter,
        after: Option<MedicineKey>,
        limit: impl Into<Limit>,
    ) -> Result<Page<LiveItem>, Error> {
        let today = self.today()?;
        let Page { items, more } = self.page(Item::list(&filter, after), limit).await?;
        let key = |found: &Versioned<Item>| found.record.medicine.key().clone();
        let live = self.ask_in_parts(&items, |seen, some| {
            need_usable(seen, some.iter().map(|found| Ask::record(key(found))), today)?;
            let live = some.iter().map(|found| {
                let of_stock = of_stock(seen, key(found), today)?;
                Ok(found.clone().map(|item| LiveItem::new(item, of_stock)))
            });
            live.collect()
        });
        Ok(Page { items: live.await?, more })
    }

    /// Adds a medicine to the inventory (operation 8).
    ///
    /// # Errors
    /// [`Error::Invalid`] for a price above the facility's highest; [`Conflict::ItemExists`]; the store's failures.
    pub async fn add_item(&self, medicine: MedicineName, details: ItemDetails) -> Result<Versioned<LiveItem>, Error> {
        let highest_price = self.facility.highest_price;
        self.write(self.request(Operation::AddMedicine, (&medicine, &details))?, move |draft| {
            let stored = draft.get::<Item>(medicine.key().clone())?;
            refuse_new(&details, stored.as_ref(), highest_price)?;
            if stored.is_some() {
                return Err(Conflict::ItemExists.into());
            }
            let item = Item::new(medicine.clone()).with(details.clone());
            draft.put(item.clone());
            Ok(WriteAnswer::Put(LiveItem { item, is_tracked: false }))
        })
        .await
    }

    /// Changes the fields of an item that the details name (operation 9). For a tracked medicine, `is_available` sets
    /// or lifts the hold: `false` holds a medicine that is available, and changes nothing for one that is not.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a new price above the facility's highest; [`Error::NotFound`], [`Error::Stale`], and the
    /// store's failures.
    pub async fn update_item(
        &self,
        medicine: MedicineKey,
        details: ItemDetails,
        expected: ExpectedVersion,
    ) -> Result<Versioned<LiveItem>, Error> {
        let today = self.today();
        let highest_price = self.facility.highest_price;
        self.write(self.request(Operation::UpdateMedicine, (&medicine, &details, &expected))?, move |draft| {
            let today = today.clone()?;
            draft.need([RecordKey::Item(medicine.clone()).into(), RecordKey::Stock(medicine.clone()).into()])?;
            let found = draft.stored::<Item>(Ask::record(medicine.clone()))?;
            refuse_new(&details, found.as_ref().map(|found| &found.record), highest_price)?;
            let found = expected.found(found)?;
            let mut details = details.clone();
            let mut of_stock = None;
            if let Some(mut stock) = draft.get::<Stock>(medicine.clone())? {
                let usable = usable(draft.seen(), &stock, today)?;
                match std::mem::take(&mut details.is_available) {
                    Patch::Keep => {}
                    Patch::Clear | Patch::Set(true) => stock.settings.held = false,
                    Patch::Set(false) => stock.settings.held |= is_available(&stock, usable),
                }
                of_stock = Some(is_available(&stock, usable));
                draft.put(stock);
            }
            let item = found.record.clone().with(details);
            draft.put(item.clone());
            Ok(WriteAnswer::over(&found, item).map(|item| LiveItem::new(item, of_stock)))
        })
        .await
    }

    /// Removes a medicine from the inventory, and ends its tracking. Its prescriptions stay, without availability.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], [`Conflict::StockLeft`], and the store's failures.
    pub async fn remove_item(&self, medicine: MedicineKey, expected: ExpectedVersion) -> Result<(), Error> {
        self.remove_record(self.request(Operation::DeleteMedicine, (&medicine, &expected))?, move |draft| {
            draft.need([RecordKey::Item(medicine.clone()).into(), RecordKey::Stock(medicine.clone()).into()])?;
            expected.stored::<Item>(draft, medicine.clone())?;
            stock::end(draft, &medicine)?;
            draft.remove(RecordKey::Item(medicine.clone()));
            Ok(())
        })
        .await
    }
}

/// Refuses new values of an item that break a rule.
fn refuse_new(details: &ItemDetails, stored: Option<&Item>, highest: Price) -> Result<(), Error> {
    let high = too_high(details.price, stored.and_then(|item| item.price), highest);
    refuse(details.faults(stored).into_iter().chain(high))
}

/// Returns whether the stock of a medicine is available, `None` when the medicine is not tracked.
fn of_stock(seen: &Seen, medicine: MedicineKey, today: Date) -> Result<Option<bool>, Stop> {
    let Some(stock) = seen.get::<Stock>(medicine)? else {
        return Ok(None);
    };
    Ok(Some(is_available(stock.record, usable(seen, stock.record, today)?)))
}
