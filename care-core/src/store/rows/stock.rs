//! Tracked medicines: their stock, their open lots, and their daily counts.

use super::{Column, RowKey, RowReader, RowWriter, Table, Tabular, row_key::UNDATED};
use crate::model::{Date, LotText, MedicineKey, MedicineName, OpenLot, Stock, StockDay, StockSettings};

impl Tabular for Stock {
    const TABLE: Table = Table {
        name: "stock",
        key: &[Column::text("medicine_key")],
        columns: &[
            Column::text("medicine"),
            Column::text("unit"),
            Column::int("pack_units"),
            Column::int("supply_units"),
            Column::int("keep_days"),
            Column::bool("held"),
            Column::int("ordered"),
            Column::text("policy"),
            Column::int("min"),
            Column::int("max"),
            Column::int("min_days"),
            Column::int("max_days"),
            Column::int("lead_days"),
            Column::int("review_days"),
            Column::int("service_level"),
            Column::text("basis"),
            Column::int("reserved"),
            Column::big_int("moved"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            medicine: cells.medicine()?,
            settings: StockSettings {
                unit: cells.text()?,
                pack_units: cells.number()?,
                supply_units: cells.number()?,
                keep_days: cells.number()?,
                held: cells.boolean()?,
                ordered: cells.number()?,
                policy: cells.word()?,
                min: cells.maybe_number()?,
                max: cells.maybe_number()?,
                min_days: cells.number()?,
                max_days: cells.number()?,
                lead_days: cells.number()?,
                review_days: cells.number()?,
                service_level: cells.number()?,
                basis: cells.word()?,
            },
            reserved: cells.number()?,
            moved: cells.maybe_number()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { medicine, settings, reserved, moved } = self;
        cells.medicine(medicine)?;
        cells.text(&settings.unit)?;
        cells.number(settings.pack_units)?;
        cells.number(settings.supply_units)?;
        cells.number(settings.keep_days)?;
        cells.put(settings.held)?;
        cells.number(settings.ordered)?;
        cells.text(settings.policy)?;
        cells.maybe_number(settings.min)?;
        cells.maybe_number(settings.max)?;
        cells.number(settings.min_days)?;
        cells.number(settings.max_days)?;
        cells.number(settings.lead_days)?;
        cells.number(settings.review_days)?;
        cells.number(settings.service_level)?;
        cells.text(settings.basis)?;
        cells.number(*reserved)?;
        cells.maybe_number(*moved)
    }
}

impl Tabular for OpenLot {
    const TABLE: Table = Table {
        name: "open_lot",
        key: &[Column::text("medicine_key"), Column::int("expires"), Column::text("lot")],
        columns: &[Column::text("medicine"), Column::int("on_hand")],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let key = MedicineKey::from_stored(cells.string()?);
        let expires = Some(cells.integer()?).filter(|day| *day != UNDATED);
        let expires = cells.model(expires.map(Date::from_unix_days).transpose())?;
        let lot = Some(cells.string()?).filter(|text| !text.is_empty());
        let lot = cells.model(lot.map(LotText::try_from).transpose())?;
        let medicine = MedicineName::with_key(cells.string()?, key);
        Ok(Self { medicine: cells.model(medicine)?, lot, expires, on_hand: cells.number()? })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { medicine, on_hand, .. } = self;
        cells.put(medicine.key().as_str())?;
        for value in self.lot_id().values() {
            cells.put(value)?;
        }
        cells.put(medicine.as_str())?;
        cells.number(*on_hand)
    }
}

impl Tabular for StockDay {
    const TABLE: Table = Table {
        name: "stock_day",
        key: &[Column::text("medicine_key"), Column::int("day")],
        columns: &[
            Column::text("medicine"),
            Column::big_int("receipts"),
            Column::big_int("received"),
            Column::big_int("dispensed"),
            Column::big_int("returned"),
            Column::big_int("dispensed_regular"),
            Column::big_int("returned_regular"),
            Column::big_int("removed"),
            Column::big_int("adjusted"),
            Column::int("on_hand"),
            Column::int("usable"),
            Column::int("usable_until"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let key = cells.string()?;
        let day = cells.date()?;
        let medicine: MedicineName = cells.text()?;
        if medicine.key().as_str() != key {
            return Err(cells.damaged());
        }
        Ok(Self {
            medicine,
            day,
            receipts: cells.integer()?,
            received: cells.integer()?,
            dispensed: cells.count()?,
            returned: cells.count()?,
            dispensed_regular: cells.count()?,
            returned_regular: cells.count()?,
            removed: cells.integer()?,
            adjusted: cells.integer()?,
            on_hand: cells.number()?,
            usable: cells.number()?,
            usable_until: cells.maybe_date()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self {
            medicine,
            day,
            receipts,
            received,
            dispensed,
            returned,
            dispensed_regular,
            returned_regular,
            removed,
            adjusted,
            on_hand,
            usable,
            usable_until,
        } = self;
        cells.put(medicine.key().as_str())?;
        cells.date(*day)?;
        cells.put(medicine.as_str())?;
        cells.put(*receipts)?;
        cells.put(*received)?;
        cells.count(*dispensed)?;
        cells.count(*returned)?;
        cells.count(*dispensed_regular)?;
        cells.count(*returned_regular)?;
        cells.put(*removed)?;
        cells.put(*adjusted)?;
        cells.number(*on_hand)?;
        cells.number(*usable)?;
        cells.maybe_date(*usable_until)
    }
}
