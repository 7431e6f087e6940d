//! Movements of stock, and the lots from which an invoice took units.

use super::{Column, RowReader, RowWriter, Table, Tabular};
use crate::model::{Dispensing, Movement};

impl Tabular for Movement {
    const TABLE: Table = Table {
        name: "movement",
        key: &[Column::big_int("movement_id")],
        columns: &[
            Column::text("medicine_key").indexed(),
            Column::text("medicine"),
            Column::text("kind"),
            Column::text("reason"),
            Column::int("units"),
            Column::int("balance"),
            Column::text("lot"),
            Column::int("expires"),
            Column::int("day"),
            Column::big_int("invoice_id").indexed(),
            Column::big_int("prescription_id"),
            Column::big_int("reverses").indexed(),
            Column::big_int("cost"),
            Column::text("currency"),
            Column::text("note"),
        ],
    };

    /// A movement is reversed by one other at most.
    const HAS_SECOND_KEY: bool = true;

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            movement_id: cells.number()?,
            medicine: cells.medicine()?,
            kind: cells.word()?,
            reason: cells.maybe_text()?,
            units: cells.number()?,
            balance: cells.number()?,
            lot: cells.maybe_text()?,
            expires: cells.maybe_date()?,
            day: cells.date()?,
            invoice_id: cells.maybe_number()?,
            prescription_id: cells.maybe_number()?,
            reverses: cells.maybe_number()?,
            cost: cells.maybe_number()?,
            currency: cells.maybe_text()?,
            note: cells.maybe_text()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self {
            movement_id,
            medicine,
            kind,
            reason,
            units,
            balance,
            lot,
            expires,
            day,
            invoice_id,
            prescription_id,
            reverses,
            cost,
            currency,
            note,
        } = self;
        cells.number(*movement_id)?;
        cells.medicine(medicine)?;
        cells.text(kind)?;
        cells.maybe_text(reason.as_ref())?;
        cells.number(*units)?;
        cells.number(*balance)?;
        cells.maybe_text(lot.as_ref())?;
        cells.maybe_date(*expires)?;
        cells.date(*day)?;
        cells.maybe_number(*invoice_id)?;
        cells.maybe_number(*prescription_id)?;
        cells.maybe_number(*reverses)?;
        cells.maybe_number(*cost)?;
        cells.maybe_text(currency.as_ref())?;
        cells.maybe_text(note.as_ref())
    }
}

impl Tabular for Dispensing {
    const TABLE: Table = Table {
        name: "dispensing",
        key: &[Column::big_int("invoice_id")],
        columns: &[
            Column::text("medicine_key"),
            Column::text("medicine"),
            Column::bool("is_regular"),
            Column::text("lots"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            invoice_id: cells.number()?,
            medicine: cells.medicine()?,
            is_regular: cells.boolean()?,
            lots: cells.json()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { invoice_id, medicine, is_regular, lots } = self;
        cells.number(*invoice_id)?;
        cells.medicine(medicine)?;
        cells.put(*is_regular)?;
        cells.json(lots)
    }
}
