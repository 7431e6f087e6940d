//! The table of the inventory and its stock, as the import reads it.

use std::collections::BTreeMap;

use care_core::{
    CareService,
    error::{Error, StoreError, StoreErrorKind},
    model::{Item, Lot, MedicineKey},
    service::LiveStock,
    store::{CareStore, Entry, ItemFilter, Limit, RecordKey, Seq, StockFilter},
};
use serde_json::{Map, Value};

use super::columns;
use crate::admin::{AdminError, database::Database, export::Output, reports::formulas::guarded_cell};

/// The number of items that are read together.
const PAGE: Limit = Limit::items(500);

/// The entries that are read together, in items and bytes.
const ENTRIES: Limit = Limit::items(500).bytes(1 << 20);

/// The number of times that the inventory is read again when it changed meanwhile.
const AGAIN: usize = 3;

/// Writes the inventory and its stock.
pub(in crate::admin) async fn export(database: &Database, out: &Output) -> Result<(), AdminError> {
    out.admit(database)?;
    let care = database.care(&database.existing()?);
    let (items, stocks) = at_one_instant(&care).await?;
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

/// The inventory and its stock.
type Inventory = (Vec<Item>, BTreeMap<MedicineKey, LiveStock>);

/// Reads the inventory as it was at one instant: again if an entry changed it meanwhile.
async fn at_one_instant(care: &CareService) -> Result<Inventory, AdminError> {
    let mut last = care.store().last().await?;
    for _ in 0..=AGAIN {
        let read = inventory(care).await.map_err(|error| match error {
            Error::Store(error) => error,
            // Lists refuse nothing.
            _ => StoreErrorKind::Broken.into(),
        })?;
        if !has_changed(care.store(), &mut last).await? {
            return Ok(read);
        }
    }
    Err(AdminError::Restless)
}

/// Returns whether an entry after the last one that was seen changed what the table shows, and goes on to the newest.
async fn has_changed(store: &dyn CareStore, last: &mut Seq) -> Result<bool, StoreError> {
    let is_shown = |key: RecordKey| matches!(key, RecordKey::Item(_) | RecordKey::Stock(_) | RecordKey::OpenLot(_));
    let is_change = |entry: &Entry| entry.changes().any(|change| is_shown(change.key()));
    let mut has_changed = false;
    loop {
        let page = store.journal(*last, ENTRIES).await?;
        has_changed |= page.items.iter().any(is_change);
        *last = page.items.last().map_or(*last, |entry| entry.seq);
        if !page.more {
            return Ok(has_changed);
        }
    }
}

async fn inventory(care: &CareService) -> Result<Inventory, Error> {
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

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        thread,
    };

    use async_trait::async_trait;
    use care_core::{
        model::{ItemDetails, LotId, MedicineName, PatientDetails, StockDetails, UnitName, Units},
        service::{ExpectedVersion, NewMovement, OpeningLot},
        store::{MemoryStore, Portion, Query, Record, Records, Versioned},
    };
    use care_testkit::{Hooks, Wrap};
    use futures_executor::block_on;

    use super::*;

    /// The cells of a table, row by row.
    type Cells = Vec<Vec<String>>;
    /// A write of another process.
    type Write = fn(&CareService, usize) -> Result<(), Error>;

    /// A store to which another process writes after each list that is read, this many times.
    struct Busy {
        store: Arc<MemoryStore>,
        write: Write,
        writes: usize,
        lists: AtomicUsize,
    }

    #[async_trait]
    impl Hooks for Busy {
        type Store = Arc<MemoryStore>;

        fn store(&self) -> &Self::Store {
            &self.store
        }

        async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
            let found = self.store.list(query, limit).await?;
            let number = self.lists.fetch_add(1, Ordering::SeqCst);
            if number < self.writes {
                let write = || (self.write)(&CareService::new(Arc::clone(&self.store)), number);
                // It waits for its own answer, which only another thread may do here.
                let written = thread::scope(|scope| scope.spawn(write).join().unwrap());
                written.map_err(|error| StoreError::new(StoreErrorKind::Broken, error))?;
            }
            Ok(found)
        }
    }

    fn medicine(name: impl Into<String>) -> MedicineName {
        MedicineName::new(name).unwrap()
    }

    fn units(units: i64) -> Units {
        units.try_into().unwrap()
    }

    /// Adds a medicine whose stock is one lot.
    fn track(care: &CareService, name: &str) -> Result<(), Error> {
        let name = medicine(name);
        block_on(care.add_item(name.clone(), ItemDetails::default()))?;
        let opening = vec![OpeningLot { lot: LotId::default(), units: units(10) }];
        let unit = UnitName::new("tablets").unwrap();
        block_on(care.start_stock(name.key().clone(), unit, StockDetails::default(), opening)).map(drop)
    }

    /// Returns the table that is read during this many writes, how often it was read, and the table afterwards.
    fn read_beside(write: Write, writes: usize) -> (Result<Cells, AdminError>, usize, Cells) {
        let store = Arc::new(MemoryStore::new());
        let care = CareService::new(Arc::clone(&store));
        track(&care, "Ibuprofen").unwrap();
        let busy = Arc::new(Wrap(Busy { store, write, writes, lists: AtomicUsize::new(0) }));
        let read = block_on(at_one_instant(&CareService::new(Arc::clone(&busy))));
        let table = |(items, stocks): Inventory| {
            items.iter().flat_map(|item| rows(item, stocks.get(item.medicine.key()))).collect::<Vec<_>>()
        };
        // Each time, there is a list of stocks and one of items.
        let reads = busy.0.lists.load(Ordering::SeqCst) / 2;
        (read.map(table), reads, table(block_on(inventory(&care)).unwrap()))
    }

    /// Writes that change what the table shows.
    const SHOWN: [(&str, Write); 4] = [
        ("a medicine is added", |care, number| {
            block_on(care.add_item(medicine(format!("Aspirin {number}")), ItemDetails::default())).map(drop)
        }),
        ("a medicine is removed", |care, number| {
            let name = medicine(format!("Aspirin {number}"));
            block_on(care.add_item(name.clone(), ItemDetails::default()))?;
            block_on(care.remove_item(name.key().clone(), ExpectedVersion::Any)).map(drop)
        }),
        ("a medicine is tracked", |care, number| track(care, &format!("Aspirin {number}"))),
        ("a lot is received", |care, _| {
            let receipt = NewMovement::receipt(LotId::default(), units(1));
            block_on(care.move_stock(medicine("Ibuprofen").key().clone(), receipt)).map(drop)
        }),
    ];

    #[test]
    fn the_table_is_of_one_instant_or_there_is_none() {
        for (name, write) in SHOWN {
            for writes in 0..=2 * AGAIN {
                let (read, reads, there) = read_beside(write, writes);
                assert_eq!((read.unwrap(), reads), (there, 1 + writes.div_ceil(2)), "{name}, {writes}");
            }
            let (read, reads, _) = read_beside(write, usize::MAX);
            assert!(matches!(read, Err(AdminError::Restless)), "{name}: {read:?}");
            assert_eq!(reads, 1 + AGAIN, "{name}");
        }
        // Records that are not in the table may go on changing.
        let register: Write = |care, _| block_on(care.register_patient(PatientDetails::default())).map(drop);
        let (read, reads, there) = read_beside(register, usize::MAX);
        assert_eq!((read.unwrap(), reads), (there, 1));
    }
}
