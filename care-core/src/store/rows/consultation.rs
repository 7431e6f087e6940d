//! Consultations, and the diseases of each.

use super::{Column, RowReader, RowWriter, Table, Tabular};
use crate::model::{Consultation, Diagnosis};

impl Tabular for Consultation {
    const TABLE: Table = Table {
        name: "consultation",
        key: &[Column::big_int("consultation_id")],
        columns: &[
            Column::big_int("patient_id").indexed(),
            Column::int("date"),
            Column::text("prescription_ids"),
            Column::text("state"),
            Column::bool("implicit"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            consultation_id: cells.number()?,
            patient_id: cells.number()?,
            date: cells.date()?,
            prescription_ids: cells.json()?,
            state: cells.word()?,
            implicit: cells.boolean()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { consultation_id, patient_id, date, prescription_ids, state, implicit } = self;
        cells.number(*consultation_id)?;
        cells.number(*patient_id)?;
        cells.date(*date)?;
        cells.json(prescription_ids)?;
        cells.text(state)?;
        cells.put(*implicit)
    }
}

impl Tabular for Diagnosis {
    const TABLE: Table = Table {
        name: "diagnosis",
        key: &[Column::big_int("consultation_id")],
        columns: &[Column::big_int("patient_id").indexed(), Column::big_int("visit"), Column::text("diseases")],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            consultation_id: cells.number()?,
            patient_id: cells.number()?,
            visit: cells.maybe_count()?,
            diseases: cells.json()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { consultation_id, patient_id, visit, diseases } = self;
        cells.number(*consultation_id)?;
        cells.number(*patient_id)?;
        cells.maybe_count(*visit)?;
        cells.json(diseases)
    }
}
