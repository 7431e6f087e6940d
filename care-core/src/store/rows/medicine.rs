//! The records of a medicine: inventory items, and the counts of the restock report.

use super::{Column, RowReader, RowWriter, Table, Tabular};
use crate::model::{Demand, Item, MedicineKey, MedicineName, PrescribedUnits, RegularDemand};

impl Tabular for Item {
    const TABLE: Table = Table {
        name: "item",
        key: &[Column::text("medicine_key")],
        columns: &[
            Column::text("medicine"),
            Column::bool("is_available"),
            Column::text("dosage"),
            Column::bool("is_regular"),
            Column::big_int("price"),
            Column::text("currency"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            medicine: cells.medicine()?,
            is_available: cells.boolean()?,
            dosage: cells.maybe_text()?,
            is_regular: cells.maybe_boolean()?,
            price: cells.maybe_number()?,
            currency: cells.maybe_text()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { medicine, is_available, dosage, is_regular, price, currency } = self;
        cells.medicine(medicine)?;
        cells.put(*is_available)?;
        cells.maybe_text(dosage.as_ref())?;
        cells.put(*is_regular)?;
        cells.maybe_number(*price)?;
        cells.maybe_text(currency.as_ref())
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
            day: cells.date()?,
            medicine: cells.medicine()?,
            prescribed: cells.count()?,
            regular: cells.count()?,
            dispensed: cells.count()?,
            wanted: PrescribedUnits { units: cells.count()?, unnamed: cells.count()? },
            waiting: PrescribedUnits { units: cells.count()?, unnamed: cells.count()? },
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { medicine, day, prescribed, regular, dispensed, wanted, waiting } = self;
        cells.date(*day)?;
        cells.medicine(medicine)?;
        cells.count(*prescribed)?;
        cells.count(*regular)?;
        cells.count(*dispensed)?;
        for wanted in [wanted, waiting] {
            cells.count(wanted.units)?;
            cells.count(wanted.unnamed)?;
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
        let key = MedicineKey::from_stored(cells.string()?);
        let every_days = cells.number()?;
        let medicine = MedicineName::with_key(cells.string()?, key);
        Ok(Self {
            medicine: cells.model(medicine)?,
            every_days,
            active_regular: cells.count()?,
            wanted: PrescribedUnits { units: cells.count()?, unnamed: cells.count()? },
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { medicine, every_days, active_regular, wanted } = self;
        cells.put(medicine.key().as_str())?;
        cells.number(*every_days)?;
        cells.put(medicine.as_str())?;
        cells.count(*active_regular)?;
        cells.count(wanted.units)?;
        cells.count(wanted.unnamed)
    }
}
