//! Tracked medicines with their open lots, which are records of their own, and the units that may be handed out.

use super::draft::Draft;
use crate::{
    error::{Error, StoreErrorKind},
    model::{Date, Lot, LotId, MedicineKey, OpenLot, Shelf, Stock},
    stock::{levels, usable_of_all},
    store::{Ask, Key, RecordKey, Seen, Stop, Versioned},
};

/// The number of medicines that are looked at in one question, which is bounded in records.
pub(crate) const TOGETHER: usize = 64;

/// The number of medicines whose lots, up to 64 each, are read in one question. Others run between two questions.
pub(crate) const SHELVES_TOGETHER: usize = 8;

/// The stock of a tracked medicine, together with its open lots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrackedStock {
    pub(crate) stock: Stock,
    pub(crate) shelf: Shelf,
}

impl TrackedStock {
    /// Returns the stock of a medicine for a decision, with its lots as they are stored; `None` when it is not tracked.
    pub(crate) fn of(draft: &Draft<'_>, medicine: &MedicineKey) -> Result<Option<Self>, Stop> {
        let Some(stock) = draft.get::<Stock>(medicine.clone())? else {
            return Ok(None);
        };
        let shelf = stored(draft.seen(), medicine)?;
        Ok(Some(Self { stock, shelf }))
    }

    /// Returns the stock of a key for a question; `None` when there is none.
    pub(crate) fn found(seen: &Seen, key: RecordKey) -> Result<Option<Versioned<Self>>, Stop> {
        let Some(found) = seen.one::<Stock>(key)? else {
            return Ok(None);
        };
        let shelf = stored(seen, found.medicine.key())?;
        Ok(Some(found.cloned().map(|stock| Self { stock, shelf })))
    }

    /// Writes a lot as it is now on the shelf.
    pub(crate) fn put_lot(&self, draft: &mut Draft<'_>, id: LotId) {
        match self.shelf.of(&id) {
            Some(on_hand) => draft.put(OpenLot::new(self.stock.medicine.clone(), Lot { id, on_hand })),
            None => draft.remove(RecordKey::OpenLot((self.stock.medicine.key().clone(), id))),
        }
    }
}

/// Asks for the stocks of these keys together, and then for the lots of those of which [`usable`] reads them.
pub(crate) fn need_usable<A: Into<Ask<Option<Stock>>>>(
    seen: &Seen,
    stocks: impl Iterator<Item = A> + Clone,
    today: Date,
) -> Result<(), Stop> {
    let stocks = stocks.map(Into::into);
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
    match usable_of_all(stock, today) {
        Some(units) => Ok(units),
        None => {
            let shelf = stored(seen, stock.medicine.key())?;
            Ok(levels(&shelf, stock.reserved, stock.settings.keep_days, today).usable)
        }
    }
}

/// Returns the stored lots of a medicine.
fn stored(seen: &Seen, medicine: &MedicineKey) -> Result<Shelf, Stop> {
    let lots = seen.all(OpenLot::of_medicine(medicine))?;
    let lots: Vec<_> = lots.map(|found| found.record.lot()).collect();
    // Only a damaged store has lots that make no shelf.
    Shelf::try_from(lots).map_err(|_| Error::Store(StoreErrorKind::Broken.into()).into())
}
