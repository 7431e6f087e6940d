//! Tracked medicines: their stock, their movements, and what is counted of them.

use care_core::model::{
    Amount, Date, Dispensing, LotText, MedicineName, Movement, Note, Stock, StockDay, StockSettings, UnitName,
};

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

impl Stored for Stock {
    const TABLE: Table = table!(
        "stock",
        ["medicine_key" text],
        [
            "medicine" text,
            "unit" text,
            "pack_units" int4,
            "supply_units" int4,
            "keep_days" int4,
            "held" bool,
            "ordered" int4,
            "policy" text,
            "min" int4,
            "max" int4,
            "min_days" int4,
            "max_days" int4,
            "lead_days" int4,
            "review_days" int4,
            "service_level" int4,
            "basis" text,
            "reserved" int4,
            "lots" text,
            "soonest" int4 derived
        ]
    );

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self {
            medicine: cells.medicine()?,
            settings: StockSettings {
                unit: cells.text()?,
                pack_units: cells.number()?,
                supply_units: cells.number()?,
                keep_days: cells.number()?,
                held: cells.raw()?,
                ordered: cells.number()?,
                policy: cells.text()?,
                min: cells.maybe_number()?,
                max: cells.maybe_number()?,
                min_days: cells.number()?,
                max_days: cells.number()?,
                lead_days: cells.number()?,
                review_days: cells.number()?,
                service_level: cells.number()?,
                basis: cells.text()?,
            },
            reserved: cells.number()?,
            shelf: cells.json()?,
        })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self { medicine, settings, reserved, shelf } = self;
        values.medicine(medicine);
        values.put(UnitName::as_str(&settings.unit));
        values.put(settings.pack_units.value());
        values.put(settings.supply_units.value());
        values.put(settings.keep_days.value());
        values.put(settings.held);
        values.put(settings.ordered.value());
        values.put(settings.policy.as_str());
        values.put(settings.min.map(Amount::value));
        values.put(settings.max.map(Amount::value));
        values.put(settings.min_days.value());
        values.put(settings.max_days.value());
        values.put(settings.lead_days.value());
        values.put(settings.review_days.value());
        values.put(settings.service_level.percent());
        values.put(settings.basis.as_str());
        values.put(reserved.value());
        values.json(shelf)?;
        // The lots stand by date, so the first has the soonest.
        values.put(shelf.lots().first().and_then(|lot| lot.id.expires).map(Date::unix_days));
        Ok(())
    }
}

impl Stored for Movement {
    const TABLE: Table = table!(
        "movement",
        ["movement_id" int8],
        [
            "medicine_key" text,
            "medicine" text,
            "kind" text,
            "reason" text,
            "units" int4,
            "balance" int4,
            "lot" text,
            "expires" int4,
            "day" int4,
            "invoice_id" int8,
            "prescription_id" int8,
            "reverses" int8,
            "cost" int8,
            "currency" text,
            "note" text
        ]
    );

    const IS_ORDERED: bool = true;

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self {
            movement_id: cells.number()?,
            medicine: cells.medicine()?,
            kind: cells.text()?,
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

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
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
        values.put(movement_id.value());
        values.medicine(medicine);
        values.put(kind.as_str());
        values.put(reason.map(|reason| reason.as_str()));
        values.put(units.value());
        values.put(balance.value());
        values.put(lot.as_ref().map(LotText::as_str));
        values.put(expires.map(Date::unix_days));
        values.put(day.unix_days());
        values.put(invoice_id.map(|id| id.value()));
        values.put(prescription_id.map(|id| id.value()));
        values.put(reverses.map(|id| id.value()));
        values.put(cost.map(|cost| cost.value()));
        values.put(currency.as_ref().map(|currency| currency.as_str()));
        values.put(note.as_ref().map(Note::as_str));
        Ok(())
    }
}

impl Stored for StockDay {
    const TABLE: Table = table!(
        "stock_day",
        ["medicine_key" text, "day" int4],
        [
            "medicine" text,
            "receipts" int8,
            "received" int8,
            "dispensed" int8,
            "returned" int8,
            "dispensed_regular" int8,
            "returned_regular" int8,
            "removed" int8,
            "adjusted" int8,
            "on_hand" int4,
            "usable" int4,
            "usable_until" int4
        ]
    );

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        let key = cells.raw::<String>()?;
        let day = cells.date()?;
        let medicine: MedicineName = cells.text()?;
        if medicine.key().as_str() != key {
            return Err(cells.damaged());
        }
        Ok(Self {
            medicine,
            day,
            receipts: cells.raw()?,
            received: cells.raw()?,
            dispensed: cells.count()?,
            returned: cells.count()?,
            dispensed_regular: cells.count()?,
            returned_regular: cells.count()?,
            removed: cells.raw()?,
            adjusted: cells.raw()?,
            on_hand: cells.number()?,
            usable: cells.number()?,
            usable_until: cells.maybe_date()?,
        })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
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
        values.put(medicine.key().as_str());
        values.put(day.unix_days());
        values.put(medicine.as_str());
        values.put(receipts);
        values.put(received);
        values.count(*dispensed)?;
        values.count(*returned)?;
        values.count(*dispensed_regular)?;
        values.count(*returned_regular)?;
        values.put(removed);
        values.put(adjusted);
        values.put(on_hand.value());
        values.put(usable.value());
        values.put(usable_until.map(Date::unix_days));
        Ok(())
    }
}

impl Stored for Dispensing {
    const TABLE: Table = table!("dispensing", ["invoice_id" int8], ["medicine_key" text, "medicine" text, "is_regular" bool, "lots" text]);

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self {
            invoice_id: cells.number()?,
            medicine: cells.medicine()?,
            is_regular: cells.raw()?,
            lots: cells.json()?,
        })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self { invoice_id, medicine, is_regular, lots } = self;
        values.put(invoice_id.value());
        values.medicine(medicine);
        values.put(is_regular);
        values.json(lots)
    }
}
