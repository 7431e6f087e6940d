//! Records together with the figures of now, which are not stored: the units that may be handed out, and whether the
//! next step would be refused for lack of them.

use serde::{Deserialize, Serialize};

use super::draft::Draft;
use crate::{
    error::{Error, StoreErrorKind},
    kinds::RecordKind,
    model::{Amount, Date, Invoice, Item, Lot, LotId, MedicineKey, OpenLot, Prescription, Quantity, Shelf, Stock},
    stock::{Levels, is_usable, levels, usable_of_all},
    store::{Ask, Key, RecordKey, Seen, Stop, Versioned},
};

/// The number of medicines that are looked at in one question, which is bounded in records.
pub(crate) const TOGETHER: usize = 64;

/// The number of medicines whose lots, up to 64 each, are read in one question: a quantum. Others pass between two
/// questions.
pub(crate) const SHELVES_TOGETHER: usize = 7;

/// A prescription together with its availability at this moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LivePrescription {
    /// The prescription.
    #[serde(flatten)]
    pub prescription: Prescription,
    /// Whether the medicine is available for it now. For a tracked medicine: whether its next step would find the units
    /// that it needs. For another one: the inventory's flag, or false when the inventory does not have the medicine.
    pub is_available: bool,
}

/// An inventory item at this moment: the availability of a tracked medicine follows from its stock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveItem {
    /// The item, with the availability of now.
    #[serde(flatten)]
    pub item: Item,
    /// Whether the stock of the medicine is tracked.
    pub is_tracked: bool,
}

impl LiveItem {
    /// Returns the item with the availability of its stock, if its medicine is tracked.
    pub(crate) fn new(item: Item, of_stock: Option<bool>) -> Self {
        let is_available = of_stock.unwrap_or(item.is_available);
        Self { item: Item { is_available, ..item }, is_tracked: of_stock.is_some() }
    }
}

/// The stock of a tracked medicine on a day, together with its open lots, which are records of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveStock {
    /// The stock.
    pub stock: Stock,
    /// The open lots.
    pub shelf: Shelf,
    /// The day with which expiry dates are compared.
    pub today: Date,
}

impl LiveStock {
    /// Returns the stock of a medicine for a decision, with its lots as they are stored; `None` when it is not tracked.
    pub(crate) fn of(draft: &Draft<'_>, medicine: &MedicineKey, today: Date) -> Result<Option<Self>, Stop> {
        let Some(stock) = draft.get::<Stock>(medicine.clone())? else { return Ok(None) };
        let shelf = stored_lots(draft.seen(), medicine)?;
        Ok(Some(Self { stock, shelf, today }))
    }

    /// Returns the stock of a medicine for a decision, which must be tracked.
    pub(crate) fn required(draft: &Draft<'_>, medicine: &MedicineKey, today: Date) -> Result<Self, Stop> {
        Ok(Self::of(draft, medicine, today)?.ok_or(Error::NotFound(RecordKind::Stock))?)
    }

    /// Returns the stock of a medicine for a question; `None` when it is not tracked.
    pub(crate) fn found(seen: &Seen, medicine: &MedicineKey, today: Date) -> Result<Option<Versioned<Self>>, Stop> {
        let Some(found) = seen.get::<Stock>(medicine.clone())? else { return Ok(None) };
        let shelf = stored_lots(seen, medicine)?;
        Ok(Some(found.cloned().map(|stock| Self { stock, shelf, today })))
    }

    /// Writes a lot as it is now on the shelf.
    pub(crate) fn put_lot(&self, draft: &mut Draft<'_>, id: LotId) {
        match self.shelf.of(&id) {
            Some(on_hand) => draft.put(OpenLot::new(self.stock.medicine.clone(), Lot { id, on_hand })),
            None => draft.remove(RecordKey::OpenLot((self.stock.medicine.key().clone(), id))),
        }
    }

    /// Returns the units by their state, from which availability follows.
    pub fn levels(&self) -> Levels {
        levels(&self.shelf, self.stock.reserved, self.stock.settings.keep_days, self.today)
    }

    /// Returns for each open lot, in their order, whether it may be handed out.
    pub fn usable(&self) -> impl Iterator<Item = bool> {
        self.shelf.lots().iter().map(|lot| is_usable(lot, self.stock.settings.keep_days, self.today))
    }

    /// Returns the number of expired lots and the number of unusable ones among the open lots. Together with the
    /// record's version they decide everything in the answer that depends on the day.
    pub fn past(&self) -> (usize, usize) {
        let is_expired = |expires: Option<Date>| expires.is_some_and(|expires| expires < self.today);
        let expired = self.shelf.lots().iter().filter(|lot| is_expired(lot.id.expires)).count();
        (expired, self.usable().filter(|usable| !usable).count())
    }
}

/// Asks for the stocks of these keys together, and then for the lots of those of which [`usable`] reads them.
pub(crate) fn need_usable(
    seen: &Seen,
    stocks: impl Iterator<Item = Ask<Option<Versioned<Stock>>>> + Clone,
    today: Date,
) -> Result<(), Stop> {
    seen.need(stocks.clone().map(Key::from))?;
    let mut lots = Vec::new();
    for stock in stocks {
        let dated = seen.one(stock)?.filter(|stock| usable_of_all(stock, today).is_none());
        lots.extend(dated.map(|stock| OpenLot::of_medicine(stock.medicine.key()).into()));
    }
    seen.need(lots)
}

/// Returns the units of a stock that may be handed out on a day. Its lots are read only if some of them may not.
pub(crate) fn usable(seen: &Seen, stock: &Stock, today: Date) -> Result<i64, Stop> {
    if let Some(units) = usable_of_all(stock, today) {
        return Ok(units);
    }
    let shelf = stored_lots(seen, stock.medicine.key())?;
    Ok(levels(&shelf, stock.reserved, stock.settings.keep_days, today).usable)
}

/// Returns the stored lots of a medicine.
fn stored_lots(seen: &Seen, medicine: &MedicineKey) -> Result<Shelf, Stop> {
    let lots = seen.all(OpenLot::of_medicine(medicine))?;
    let lots: Vec<_> = lots.map(|found| found.record.lot()).collect();
    // Only a damaged store has lots that make no shelf.
    Shelf::try_from(lots).map_err(|_| Error::Store(StoreErrorKind::Broken.into()).into())
}

/// Returns the quantity of a prescription of a tracked medicine.
pub(crate) fn quantity(prescription: &Prescription, stock: &Stock) -> Quantity {
    prescription.quantity.unwrap_or(stock.settings.supply_units)
}

/// Returns whether a tracked medicine with these usable units is available: it is not held, and has units that are not
/// reserved.
pub(crate) fn is_available(stock: &Stock, usable: i64) -> bool {
    has_units(stock, usable, 1)
}

/// Returns whether a tracked medicine with these usable units has as many for another invoice.
pub(crate) fn has_units(stock: &Stock, usable: i64, units: i64) -> bool {
    !stock.settings.held && usable - stock.reserved.value() >= units
}

/// Returns whether a prescription of a tracked medicine is available, as far as that does not depend on its unpaid
/// invoice: for its invoice, or for the payment of one.
///
/// An invoice reserves no more than all of them together. So whatever it reserves is usable while units are left for
/// another one, and there is none while nothing is reserved.
pub(crate) fn is_available_without_invoice(prescription: &Prescription, stock: &Stock, usable: i64) -> Option<bool> {
    if stock.settings.held {
        return Some(false);
    }
    if has_units(stock, usable, quantity(prescription, stock).value()) {
        return Some(true);
    }
    (stock.reserved == Amount::ZERO).then_some(false)
}

/// Returns whether a prescription of a tracked medicine whose units are too few for an invoice is available for the
/// payment of this one.
pub(crate) fn is_available_for_payment(unpaid: Option<&Invoice>, usable: i64) -> bool {
    let reserved = unpaid.and_then(|unpaid| unpaid.quantity);
    reserved.is_some_and(|reserved| usable >= reserved.value())
}
