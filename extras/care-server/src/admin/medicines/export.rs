//! The table of the inventory and its stock, as the import reads it.

use std::collections::BTreeMap;

use care_core::{
    CareService,
    error::{Error, StoreErrorKind},
    model::{Item, Lot, MedicineKey},
    service::LiveStock,
    store::{ItemFilter, Limit, StockFilter},
};
use serde_json::{Map, Value};

use super::columns;
use crate::admin::{AdminError, database::Database, export::Output, reports::formulas::guarded_cell};

/// The number of items that are read together.
const PAGE: Limit = Limit::items(500);

/// Writes the inventory and its stock.
pub(in crate::admin) async fn export(database: &Database, out: &Output) -> Result<(), AdminError> {
    out.admit(database)?;
    let care = database.care(&database.existing()?);
    let (items, stocks) = inventory(&care).await.map_err(|error| match error {
        Error::Store(error) => error,
        // Lists refuse nothing.
        _ => StoreErrorKind::Broken.into(),
    })?;
    out.write(database, async |to, name| {
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(to);
        let failed = |error: csv::Error| AdminError::Write(name.to_owned(), error.into());
        writer.write_record(columns()).map_err(failed)?;
        for item in &items {
            for row in rows(item, stocks.get(item.medicine.key())) {
                writer.write_record(row).map_err(failed)?;
            }
        }
        writer.flush().map_err(|error| AdminError::Write(name.to_owned(), error))
    })
    .await
}

async fn inventory(care: &CareService) -> Result<(Vec<Item>, BTreeMap<MedicineKey, LiveStock>), Error> {
    let (mut items, mut stocks, mut after) = (Vec::new(), BTreeMap::new(), None);
    loop {
        let page = care.stocks(StockFilter::default(), after, PAGE).await?;
        after = page.cursor();
        stocks.extend(page.items.into_iter().map(|live| (live.record.stock.medicine.key().clone(), live.record)));
        if after.is_none() {
            break;
        }
    }
    loop {
        let page = care.items(ItemFilter::default(), after, PAGE).await?;
        after = page.cursor();
        items.extend(page.items.into_iter().map(|live| live.record.item));
        if after.is_none() {
            return Ok((items, stocks));
        }
    }
}

/// Returns the rows of a medicine: its fields and its first lot, and then the further lots.
fn rows(item: &Item, stock: Option<&LiveStock>) -> Vec<Vec<String>> {
    let fields = |record: Result<Value, serde_json::Error>| match record {
        Ok(Value::Object(fields)) => fields,
        // Records are objects.
        Ok(_) | Err(_) => Map::new(),
    };
    let mut said = fields(serde_json::to_value(item));
    if let Some(live) = stock {
        // It follows from the stock.
        said.remove("isAvailable");
        said.extend(fields(serde_json::to_value(&live.stock.settings)));
    }
    let lots = stock.map(|live| live.shelf.lots()).unwrap_or_default();
    let mut rows = vec![said];
    for (place, Lot { id, on_hand }) in lots.iter().enumerate() {
        if place > 0 {
            rows.push(Map::from_iter([("medicine".to_owned(), item.medicine.as_str().into())]));
        }
        if let Some(row) = rows.last_mut() {
            row.extend(fields(serde_json::to_value(id)));
            row.insert("units".to_owned(), on_hand.value().into());
        }
    }
    let cell = |row: &Map<String, Value>, column: &&str| match row.get(*column) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => guarded_cell(text),
        Some(other) => other.to_string(),
    };
    rows.iter().map(|row| columns().iter().map(|column| cell(row, column)).collect()).collect()
}
