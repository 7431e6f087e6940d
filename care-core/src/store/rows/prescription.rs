//! Prescriptions.

use super::{Column, RowReader, RowWriter, Table, Tabular};
use crate::model::Prescription;

impl Tabular for Prescription {
    const TABLE: Table = Table {
        name: "prescription",
        key: &[Column::big_int("prescription_id")],
        columns: &[
            Column::big_int("consultation_id").indexed(),
            Column::big_int("patient_id").indexed(),
            Column::text("medicine_key").indexed(),
            Column::text("medicine"),
            Column::text("dosage"),
            Column::bool("is_regular"),
            Column::big_int("price"),
            Column::text("currency"),
            Column::int("prescribed"),
            Column::text("state").indexed(),
            Column::bool("dispensed"),
            Column::int("quantity"),
            Column::int("every_days"),
        ],
    };

    /// A patient has one active prescription for a medicine at most.
    const HAS_SECOND_KEY: bool = true;

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            prescription_id: cells.number()?,
            consultation_id: cells.number()?,
            patient_id: cells.number()?,
            medicine: cells.medicine()?,
            dosage: cells.maybe_text()?,
            is_regular: cells.maybe_boolean()?,
            price: cells.maybe_number()?,
            currency: cells.maybe_text()?,
            prescribed: cells.date()?,
            state: cells.word()?,
            dispensed: cells.boolean()?,
            quantity: cells.maybe_number()?,
            every_days: cells.maybe_number()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self {
            prescription_id,
            consultation_id,
            patient_id,
            medicine,
            dosage,
            is_regular,
            price,
            currency,
            prescribed,
            state,
            dispensed,
            quantity,
            every_days,
        } = self;
        cells.number(*prescription_id)?;
        cells.number(*consultation_id)?;
        cells.number(*patient_id)?;
        cells.medicine(medicine)?;
        cells.maybe_text(dosage.as_ref())?;
        cells.put(*is_regular)?;
        cells.maybe_number(*price)?;
        cells.maybe_text(currency.as_ref())?;
        cells.date(*prescribed)?;
        cells.text(state)?;
        cells.put(*dispensed)?;
        cells.maybe_number(*quantity)?;
        cells.maybe_number(*every_days)
    }
}
