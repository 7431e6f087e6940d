//! Consultations.

use care_core::model::{Consultation, ConsultationState};

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

const STATES: [(&str, ConsultationState); 2] = [
    (ConsultationState::Open.as_str(), ConsultationState::Open),
    (ConsultationState::Completed.as_str(), ConsultationState::Completed),
];

impl Stored for Consultation {
    const TABLE: Table = table!(
        "consultation",
        ["consultation_id" int8],
        ["patient_id" int8, "date" int4, "prescription_ids" text, "state" text, "implicit" bool]
    );

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self {
            consultation_id: cells.number()?,
            patient_id: cells.number()?,
            date: cells.date()?,
            prescription_ids: cells.json()?,
            state: cells.word(&STATES)?,
            implicit: cells.raw()?,
        })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self { consultation_id, patient_id, date, prescription_ids, state, implicit } = self;
        values.put(consultation_id.value());
        values.put(patient_id.value());
        values.put(date.unix_days());
        values.json(prescription_ids)?;
        values.put(state.as_str());
        values.put(implicit);
        Ok(())
    }
}
