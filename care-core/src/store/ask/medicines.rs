//! Questions about medicines: the inventory, the demand and the stock.

use super::{
    index::{MOVEMENT_REVERSAL, OPEN_LOT_OF_MEDICINE},
    key::{Ask, Key},
    query::{List, MovementFilter, Query, StockFilter},
    selection::Selection,
    term::Term,
};
use crate::{
    model::{
        Date, Demand, EveryDays, Item, LotId, MedicineKey, Movement, MovementId, OpenLot, RegularDemand, Stock,
        StockDay,
    },
    store::{Entity, RecordKind},
};

impl Item {
    /// Lists the items of the inventory by folded name (in the order of its bytes), those above a name.
    pub fn list(after: Option<MedicineKey>) -> List<Self> {
        List::of(Selection::of(RecordKind::Item), after.map(Self::key))
    }

    /// Asks for the medicine's item, unless it has a stock: the same question as [`Stock::or_item`].
    pub const fn without_stock(medicine: MedicineKey) -> Ask<Option<Self>> {
        Ask::new(Key::StockOrItem(medicine))
    }
}

impl Demand {
    /// Lists the demand of a period by day, then by folded name: those after this medicine on this day.
    pub fn list((from, to): (Date, Date), after: Option<(Date, MedicineKey)>) -> List<Self> {
        // A cursor before the period means its beginning.
        let after = after.filter(|(day, _)| *day >= from);
        let selection = Selection::of(RecordKind::Demand)
            .at_least("day", after.is_none().then(|| from.unix_days()))
            .at_most("day", Some(to.unix_days()));
        List::of(selection, after.map(Self::key))
    }

    /// Lists the demand for one medicine in a period, by day.
    pub const fn of_medicine(medicine: MedicineKey, (from, to): (Date, Date)) -> List<Self> {
        List::new(Query::DemandOf { medicine, from, to })
    }
}

impl RegularDemand {
    /// Lists the recurring prescriptions of each medicine and interval, by folded name, then by interval: those after
    /// this interval of this medicine.
    pub fn list(after: Option<(MedicineKey, EveryDays)>) -> List<Self> {
        List::of(Selection::of(RecordKind::RegularDemand), after.map(Self::key))
    }
}

impl Stock {
    /// Lists tracked medicines by folded name, those above a name.
    pub fn list(filter: &StockFilter, after: Option<MedicineKey>) -> List<Self> {
        let StockFilter { expires_to } = filter;
        let selection = Selection::of(RecordKind::Stock).at_most("expires", expires_to.map(Date::unix_days));
        List::of(selection, after.map(Self::key))
    }

    /// Asks for the medicine's stock, and when it has none for its item, which is [`Item::without_stock`].
    pub const fn or_item(medicine: MedicineKey) -> Ask<Option<Self>> {
        Ask::new(Key::StockOrItem(medicine))
    }
}

impl OpenLot {
    /// Lists open lots by the medicine's folded name, then in the order in which they are handed out: those after this
    /// lot of this medicine.
    pub fn list(after: Option<(MedicineKey, LotId)>) -> List<Self> {
        List::of(Selection::of(RecordKind::OpenLot), after.map(Self::key))
    }

    /// Asks for the open lots of a medicine, in the order in which they are handed out.
    pub fn of_medicine(medicine: &MedicineKey) -> Ask<Vec<Self>> {
        OPEN_LOT_OF_MEDICINE.rows([medicine.as_str().into()]).all()
    }
}

impl Movement {
    /// Lists movements by number, those above a number.
    pub fn list(filter: &MovementFilter, after: Option<MovementId>) -> List<Self> {
        let MovementFilter { medicine, lot, expires, kind, invoice_id, from, to } = filter;
        let selection = Selection::of(RecordKind::Movement)
            .equal("medicine_key", medicine.as_ref().map(MedicineKey::as_str))
            .equal("expires", expires.map(Date::unix_days))
            .equal("kind", kind.map(|kind| kind.as_str()))
            .equal("invoice_id", invoice_id.map(|id| id.value()))
            .at_least("day", from.map(Date::unix_days))
            .at_most("day", to.map(Date::unix_days));
        let selection = match lot {
            Some(None) => selection.and(Term::Null("lot")),
            Some(Some(lot)) => selection.equal("lot", Some(lot.as_str())),
            None => selection,
        };
        List::of(selection, after.map(Self::key))
    }

    /// Asks for the movement that reverses this one. There is at most one.
    pub fn reversal_of(id: MovementId) -> Ask<Option<Self>> {
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
