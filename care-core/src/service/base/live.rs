//! Records together with the figures of now, which are not stored.

use serde::{Deserialize, Serialize};

use super::shelves::TrackedStock;
use crate::{
    model::{Date, Item, Prescription, Shelf, Stock},
    stock::{Levels, is_usable, levels},
};

/// A prescription together with its availability at this moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// The stock of a medicine on a day.
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
    pub(crate) fn new(TrackedStock { stock, shelf }: TrackedStock, today: Date) -> Self {
        Self { stock, shelf, today }
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
