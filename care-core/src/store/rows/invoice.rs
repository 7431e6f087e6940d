//! Invoices.

use super::{Column, RowReader, RowWriter, Table, Tabular};
use crate::model::Invoice;

impl Tabular for Invoice {
    const TABLE: Table = Table {
        name: "invoice",
        key: &[Column::big_int("invoice_id")],
        columns: &[
            Column::big_int("prescription_id").indexed(),
            Column::big_int("patient_id").indexed(),
            Column::text("medicine"),
            Column::text("name"),
            Column::int("age"),
            Column::int("invoice_date"),
            Column::text("gender"),
            Column::big_int("phone"),
            Column::text("email"),
            Column::text("companyaddress"),
            Column::text("dosage"),
            Column::big_int("price"),
            Column::text("currency"),
            Column::text("state").indexed(),
            Column::int("quantity"),
        ],
    };

    /// A prescription has one unpaid invoice at most.
    const HAS_SECOND_KEY: bool = true;

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            invoice_id: cells.number()?,
            prescription_id: cells.number()?,
            patient_id: cells.number()?,
            medicine: cells.text()?,
            name: cells.maybe_text()?,
            age: cells.maybe_number()?,
            invoice_date: cells.date()?,
            gender: cells.maybe_text()?,
            phone: cells.maybe_number()?,
            email: cells.maybe_text()?,
            companyaddress: cells.maybe_text()?,
            dosage: cells.maybe_text()?,
            price: cells.maybe_number()?,
            currency: cells.maybe_text()?,
            state: cells.word()?,
            quantity: cells.maybe_number()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self {
            invoice_id,
            prescription_id,
            patient_id,
            medicine,
            name,
            age,
            invoice_date,
            gender,
            phone,
            email,
            companyaddress,
            dosage,
            price,
            currency,
            state,
            quantity,
        } = self;
        cells.number(*invoice_id)?;
        cells.number(*prescription_id)?;
        cells.number(*patient_id)?;
        cells.text(medicine)?;
        cells.maybe_text(name.as_ref())?;
        cells.maybe_number(*age)?;
        cells.date(*invoice_date)?;
        cells.maybe_text(gender.as_ref())?;
        cells.maybe_number(*phone)?;
        cells.maybe_text(email.as_ref())?;
        cells.maybe_text(companyaddress.as_ref())?;
        cells.maybe_text(dosage.as_ref())?;
        cells.maybe_number(*price)?;
        cells.maybe_text(currency.as_ref())?;
        cells.text(state)?;
        cells.maybe_number(*quantity)
    }
}
