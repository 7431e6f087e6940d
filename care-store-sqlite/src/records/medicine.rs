//! The records of a medicine: inventory items, and the counts of the restock report.

use care_core::model::{Demand, Item, PrescribedUnits, RegularDemand, ShortText};

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

impl Stored for Item {
    const TABLE: Table =
        table!("item", ["medicine_key"], ["medicine", "is_available", "dosage", "is_regular", "price", "currency"]);

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Fault> {
        Ok(Self {
            medicine: cells.medicine()?,
            is_available: cells.raw()?,
            dosage: cells.maybe_text()?,
            is_regular: cells.raw()?,
            price: cells.maybe_number()?,
            currency: cells.maybe_text()?,
        })
    }

    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault> {
        let Self { medicine, is_available, dosage, is_regular, price, currency } = self;
        values.medicine(medicine)?;
        values.put(is_available)?;
        values.put(dosage.as_ref().map(ShortText::as_str))?;
        values.put(is_regular)?;
        values.put(price.map(|price| price.value()))?;
        values.put(currency.as_ref().map(|currency| currency.as_str()))
    }
}

impl Stored for Demand {
    const TABLE: Table = table!(
        "demand",
        ["day", "medicine_key"],
        [
            "medicine",
            "prescribed",
            "regular",
            "dispensed",
            "wanted_units",
            "wanted_unnamed",
            "waiting_units",
            "waiting_unnamed"
        ]
    );

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Fault> {
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

    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault> {
        let Self { medicine, day, prescribed, regular, dispensed, wanted, waiting } = self;
        values.put(day.unix_days())?;
        values.medicine(medicine)?;
        values.count(*prescribed)?;
        values.count(*regular)?;
        values.count(*dispensed)?;
        for wanted in [wanted, waiting] {
            values.count(wanted.units)?;
            values.count(wanted.unnamed)?;
        }
        Ok(())
    }
}

impl Stored for RegularDemand {
    const TABLE: Table = table!("regular_demand", ["medicine_key"], ["medicine", "active_regular", "refills"]);

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Fault> {
        Ok(Self { medicine: cells.medicine()?, active_regular: cells.count()?, refills: cells.json()? })
    }

    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault> {
        let Self { medicine, active_regular, refills } = self;
        values.medicine(medicine)?;
        values.count(*active_regular)?;
        values.json(refills)
    }
}
