//! The rows of tracked medicines and of the demand for medicines.

use super::{
    Column, RowKey, RowReader, RowWriter, Table, Tabular,
    row::{group, row},
    row_key::UNDATED,
};
use crate::model::{
    Date, Demand, LotText, MedicineKey, MedicineName, OpenLot, PrescribedUnits, RegularDemand, Scalar, Stock, StockDay,
    StockSettings,
};

row! {
    Stock in "stock":
    medicine keyed;
    settings group, reserved, tracked_since, moved, on_hand, expires
}

group! {
    StockSettings:
    unit, pack_units, supply_units, keep_days, held, ordered, policy, min, max, min_days, max_days, lead_days,
    review_days, service_level, basis
}

/// Reads a medicine whose key begins the row's, and whose spelling stands behind the cells that `rest` reads: those of
/// the rest of the row's key.
fn medicine_around<R: RowReader, T>(
    cells: &mut R,
    rest: impl FnOnce(&mut R) -> Result<T, R::Error>,
) -> Result<(MedicineName, T), R::Error> {
    let key = MedicineKey::from_stored(cells.get::<Box<str>>()?);
    let rest = rest(cells)?;
    let medicine = MedicineName::with_key(cells.get()?, key);
    Ok((cells.model(medicine)?, rest))
}

impl Tabular for OpenLot {
    const TABLE: Table = Table {
        name: "open_lot",
        key: &[Column::text("medicine_key"), Column::int("expires"), Column::text("lot")],
        columns: &[Column::text("medicine"), Column::int("on_hand")],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let (medicine, (expires, lot)) = medicine_around(cells, |cells| {
            let expires = Some(cells.get::<i64>()?).filter(|day| *day != UNDATED);
            let expires = cells.model(expires.map(Date::from_unix_days).transpose())?;
            let lot = Some(cells.get::<String>()?).filter(|text| !text.is_empty());
            Ok((expires, cells.model(lot.map(LotText::from_stored).transpose())?))
        })?;
        Ok(Self { medicine, lot, expires, on_hand: cells.get()? })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { medicine, on_hand, .. } = self;
        cells.put(medicine.key().as_str())?;
        for value in self.lot_id().values() {
            cells.put(value)?;
        }
        cells.put(medicine.as_str())?;
        cells.set(on_hand)
    }
}

impl Tabular for StockDay {
    const TABLE: Table = Table {
        name: "stock_day",
        key: &[Column::text("medicine_key"), Column::int("day")],
        columns: &[
            Column::text("medicine"),
            Column::big_int("receipts"),
            Column::big_int("received"),
            Column::big_int("dispensed"),
            Column::big_int("returned"),
            Column::big_int("dispensed_regular"),
            Column::big_int("returned_regular"),
            Column::big_int("removed"),
            Column::big_int("adjusted"),
            Column::int("on_hand"),
            Column::int("usable"),
            Column::int("usable_until"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let (medicine, day) = medicine_around(cells, R::get)?;
        Ok(Self {
            medicine,
            day,
            receipts: cells.get()?,
            received: cells.get()?,
            dispensed: cells.get()?,
            returned: cells.get()?,
            dispensed_regular: cells.get()?,
            returned_regular: cells.get()?,
            removed: cells.get()?,
            adjusted: cells.get()?,
            on_hand: cells.get()?,
            usable: cells.get()?,
            usable_until: cells.get()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self {
            medicine,
            day,
            receipts,
            received,
            dispensed,
            returned,
            dispensed_regular,
            returned_regular,
            removed,
            adjusted,
            on_hand,
            usable,
            usable_until,
        } = self;
        cells.put(medicine.key().as_str())?;
        cells.set(day)?;
        cells.put(medicine.as_str())?;
        cells.set(receipts)?;
        cells.set(received)?;
        cells.set(dispensed)?;
        cells.set(returned)?;
        cells.set(dispensed_regular)?;
        cells.set(returned_regular)?;
        cells.set(removed)?;
        cells.set(adjusted)?;
        cells.set(on_hand)?;
        cells.set(usable)?;
        cells.set(usable_until)
    }
}

impl Tabular for Demand {
    const TABLE: Table = Table {
        name: "demand",
        key: &[Column::int("day"), Column::text("medicine_key")],
        columns: &[
            Column::text("medicine"),
            Column::big_int("prescribed"),
            Column::big_int("regular"),
            Column::big_int("dispensed"),
            Column::big_int("wanted_units"),
            Column::big_int("wanted_unnamed"),
            Column::big_int("waiting_units"),
            Column::big_int("waiting_unnamed"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            day: cells.get()?,
            medicine: cells.medicine()?,
            prescribed: cells.get()?,
            regular: cells.get()?,
            dispensed: cells.get()?,
            wanted: PrescribedUnits { units: cells.get()?, unnamed: cells.get()? },
            waiting: PrescribedUnits { units: cells.get()?, unnamed: cells.get()? },
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { medicine, day, prescribed, regular, dispensed, wanted, waiting } = self;
        cells.set(day)?;
        cells.medicine(medicine)?;
        cells.set(prescribed)?;
        cells.set(regular)?;
        cells.set(dispensed)?;
        for wanted in [wanted, waiting] {
            cells.set(&wanted.units)?;
            cells.set(&wanted.unnamed)?;
        }
        Ok(())
    }
}

impl Tabular for RegularDemand {
    const TABLE: Table = Table {
        name: "regular_demand",
        key: &[Column::text("medicine_key"), Column::int("every_days")],
        columns: &[
            Column::text("medicine"),
            Column::big_int("active_regular"),
            Column::big_int("wanted_units"),
            Column::big_int("wanted_unnamed"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let (medicine, every_days) = medicine_around(cells, R::get)?;
        Ok(Self {
            medicine,
            every_days,
            active_regular: cells.get()?,
            wanted: PrescribedUnits { units: cells.get()?, unnamed: cells.get()? },
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { medicine, every_days, active_regular, wanted } = self;
        cells.put(medicine.key().as_str())?;
        cells.set(every_days)?;
        cells.put(medicine.as_str())?;
        cells.set(active_regular)?;
        cells.set(&wanted.units)?;
        cells.set(&wanted.unnamed)
    }
}
