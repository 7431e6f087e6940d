//! Diagnoses.

use care_core::model::Diagnosis;

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

impl Stored for Diagnosis {
    const TABLE: Table =
        table!("diagnosis", ["consultation_id" int8], ["patient_id" int8, "visit" int8, "diseases" text]);

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self {
            consultation_id: cells.number()?,
            patient_id: cells.number()?,
            visit: cells.maybe_count()?,
            diseases: cells.json()?,
        })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self { consultation_id, patient_id, visit, diseases } = self;
        values.put(consultation_id.value());
        values.put(patient_id.value());
        values.maybe_count(*visit)?;
        values.json(diseases)
    }
}
