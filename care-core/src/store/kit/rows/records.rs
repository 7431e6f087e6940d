//! The rows of the records whose columns are not their fields: a part of their key may be absent, or two columns are
//! there together or not at all.

use super::{Column, Group, RowKey, RowReader, RowWriter, Table, Tabular, row_key::UNDATED};
use crate::{
    model::{Currency, Date, LotText, OpenLot, Scalar, Takings, TakingsKey},
    store::{Owned, RequestKey},
};

impl Owned for OpenLot {}

impl Tabular for OpenLot {
    const TABLE: Table = Table {
        name: "open_lot",
        key: &[Column::text("medicine_key"), Column::int("expires"), Column::text("lot_key")],
        columns: &[Column::text("medicine"), Column::text("lot"), Column::int("on_hand")],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let medicine_key = cells.get()?;
        let expires = Some(cells.get::<i64>()?).filter(|day| *day != UNDATED);
        let expires = cells.model(expires.map(Date::from_unix_days).transpose())?;
        let lot_key = Some(cells.get::<Box<str>>()?).filter(|key| !key.is_empty());
        let medicine = cells.spelling(medicine_key)?;
        let lot: Option<LotText> = cells.get()?;
        if lot.as_ref().map(|lot| lot.key().as_str()) != lot_key.as_deref() {
            return Err(cells.damaged());
        }
        Ok(Self { medicine, lot, expires, on_hand: cells.get()? })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { medicine, lot, on_hand, expires: _ } = self;
        cells.put(medicine.key().as_str())?;
        for value in self.lot_id().values() {
            cells.put(value)?;
        }
        cells.put(medicine.as_str())?;
        cells.set(lot)?;
        cells.set(on_hand)
    }
}

impl Owned for Takings {}

impl Tabular for Takings {
    const TABLE: Table = Table {
        name: "takings",
        key: &[Column::int("day"), Column::text("holder"), Column::text("currency")],
        columns: &[Column::big_int("receipts"), Column::big_int("unpriced"), Column::text("totals")],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let (day, holder) = (cells.get()?, cells.get()?);
        let currency = Some(cells.get::<String>()?).filter(|code| !code.is_empty());
        let currency = cells.model(currency.map(Currency::from_stored).transpose())?;
        let of = TakingsKey { day, holder, currency };
        Ok(Self { of, receipts: cells.get()?, unpriced: cells.get()?, totals: cells.get()? })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        for value in self.of.values() {
            cells.put(value)?;
        }
        cells.set(&self.receipts)?;
        cells.set(&self.unpriced)?;
        cells.set(&self.totals)
    }
}

// An erased reply has neither.
impl Group for Option<RequestKey> {
    const COLUMNS: &'static [Column] = &[Column::text("actor"), Column::text("key")];

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let actor: Option<Box<str>> = cells.get()?;
        let key: Option<Box<str>> = cells.get()?;
        Ok(actor.zip(key).map(|(actor, key)| RequestKey { actor, key }))
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        cells.put(self.as_ref().map(|request| &*request.actor))?;
        cells.put(self.as_ref().map(|request| &*request.key))
    }
}
