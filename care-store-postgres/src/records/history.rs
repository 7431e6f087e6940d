//! Histories.

use care_core::model::{Date, History, MedicineName, ShortText};

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

impl Stored for History {
    const TABLE: Table = table!("history", ["patient_id" int8], ["medicine" text, "dosage" text, "diseases" int8, "visits" int8, "lastvisit" int4]);

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self {
            patient_id: cells.number()?,
            medicine: cells.maybe_text()?,
            dosage: cells.maybe_text()?,
            diseases: cells.count()?,
            visits: cells.count()?,
            lastvisit: cells.maybe_date()?,
        })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self { patient_id, medicine, dosage, diseases, visits, lastvisit } = self;
        values.put(patient_id.value());
        values.put(medicine.as_ref().map(MedicineName::as_str));
        values.put(dosage.as_ref().map(ShortText::as_str));
        values.count(*diseases)?;
        values.count(*visits)?;
        values.put(lastvisit.map(Date::unix_days));
        Ok(())
    }
}
