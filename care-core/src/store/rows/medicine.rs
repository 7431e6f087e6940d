//! The records of a medicine: inventory items, and the counts of the restock report.

use super::{Column, RowReader, RowWriter, Table, Tabular, row::row};
use crate::model::{Demand, Item, MedicineKey, MedicineName, PrescribedUnits, RegularDemand};

row! {
    Item in "item":
    medicine keyed;
    is_available, dosage, is_regular, price, currency
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
        let key = MedicineKey::from_stored(cells.get::<Box<str>>()?);
        let every_days = cells.get()?;
        let medicine = MedicineName::with_key(cells.get()?, key);
        Ok(Self {
            medicine: cells.model(medicine)?,
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
