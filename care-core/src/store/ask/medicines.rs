//! Questions about medicines: the inventory, the demand and the stock.

use care_derive::Filter;

use super::{
    index::{MOVEMENT_BY_LOT, MOVEMENT_REVERSAL, OPEN_LOT_OF_MEDICINE},
    key::{Ask, Key},
    query::{List, Query},
    selection::Selection,
    term::Comparison,
};
use crate::{
    model::{
        Date, Demand, InvoiceId, Item, LotKey, MedicineKey, MedicinePrefix, Movement, MovementId, MovementKind,
        OpenLot, Stock, StockDay,
    },
    store::{Entity, RecordKind, Versioned},
};

/// A filter of the inventory. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
#[filter(rows(Item))]
pub struct ItemFilter {
    /// Only medicines whose name begins with this, in any spelling.
    #[filter(beginning(medicine_key))]
    pub name: Option<MedicinePrefix>,
}

/// A filter of tracked medicines. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
#[filter(rows(Stock))]
pub struct StockFilter {
    /// Only medicines with an open lot that expires by this day.
    #[filter(at_most(expires), unindexed, example = "31/12/2027")]
    pub expires_to: Option<Date>,
    /// Only medicines with an open lot of this text, in any spelling.
    #[filter(among(OPEN_LOT_BY_LOT))]
    pub lot: Option<LotKey>,
}

/// A filter of movements. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
#[filter(rows(Movement))]
pub struct MovementFilter {
    /// Only records of this medicine, in any spelling.
    #[filter(equal(medicine_key))]
    pub medicine: Option<MedicineKey>,
    /// Only lots with this text, in any spelling; empty: those without one, which needs `medicine`.
    #[filter(equal(lot_key), unindexed, empty_needs(medicine))]
    pub lot: Option<Option<LotKey>>,
    /// Only lots that expire on this day. Needs `medicine` or `lot`.
    #[filter(equal, unindexed, needs(medicine, lot), example = "31/12/2027")]
    pub expires: Option<Date>,
    /// Only movements of this kind. Needs `medicine` or `lot`.
    #[filter(equal, unindexed, needs(medicine, lot), example = "dispense")]
    pub kind: Option<MovementKind>,
    /// Only movements of this invoice.
    #[filter(equal)]
    pub invoice_id: Option<InvoiceId>,
    /// Only movements of this day or later.
    #[filter(at_least(day), unindexed, example = "16/12/2025")]
    pub from: Option<Date>,
    /// Only movements of this day or earlier.
    #[filter(at_most(day), unindexed, example = "15/03/2026")]
    pub to: Option<Date>,
}

impl Item {
    /// Asks for the medicine's item, unless it has a stock: the same question as [`Stock::or_item`].
    pub const fn without_stock(medicine: MedicineKey) -> Ask<Option<Versioned<Self>>> {
        Ask::new(Key::StockOrItem(medicine))
    }
}

impl Demand {
    /// Lists the demand of a period by day, then by folded name: those after this medicine on this day.
    pub fn list((from, to): (Date, Date), after: Option<(Date, MedicineKey)>) -> List<Self> {
        // A cursor before the period means its beginning.
        let after = after.filter(|(day, _)| *day >= from);
        let selection = Selection::of(RecordKind::Demand)
            .compared("day", Comparison::AtLeast, after.is_none().then(|| from.unix_days()))
            .compared("day", Comparison::AtMost, Some(to.unix_days()));
        List::of(selection, after.map(Self::key))
    }

    /// Lists the demand for one medicine in a period, by day.
    pub const fn of_medicine(medicine: MedicineKey, (from, to): (Date, Date)) -> List<Self> {
        List::new(Query::DemandOf { medicine, from, to })
    }
}

impl Stock {
    /// Asks for the medicine's stock, and when it has none for its item, which is [`Item::without_stock`].
    pub const fn or_item(medicine: MedicineKey) -> Ask<Option<Versioned<Self>>> {
        Ask::new(Key::StockOrItem(medicine))
    }
}

impl OpenLot {
    /// Asks for the open lots of a medicine, in the order in which they are handed out.
    pub fn of_medicine(medicine: &MedicineKey) -> Ask<Vec<Versioned<Self>>> {
        OPEN_LOT_OF_MEDICINE.rows([medicine.as_str().into()]).all()
    }
}

impl Movement {
    /// Asks for the first movement of a lot with this text within a medicine, which spells it as all others do.
    pub fn first_of_lot(medicine: &MedicineKey, lot: &LotKey) -> Ask<Option<Versioned<Self>>> {
        MOVEMENT_BY_LOT.rows([lot.as_str().into(), medicine.as_str().into()]).one()
    }

    /// Asks for the movement that reverses this one. There is at most one.
    pub fn reversal_of(id: MovementId) -> Ask<Option<Versioned<Self>>> {
        MOVEMENT_REVERSAL.rows([id.value().into()]).one()
    }
}

impl StockDay {
    /// Lists the days with a movement in a period, by medicine, then by day: those after this day of this medicine, and
    /// of this medicine alone; for each medicine also the last such day before the period.
    pub const fn list(
        (from, to): (Date, Date),
        medicine: Option<MedicineKey>,
        after: Option<(MedicineKey, Date)>,
    ) -> List<Self> {
        List::new(Query::StockDays { medicine, from, to, after })
    }
}
