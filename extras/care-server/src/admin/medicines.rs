//! The inventory and its stock as a CSV file: read into a database, and written from one.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use care_core::{
    CareService,
    error::{Conflict, Error, FieldError, StoreError, StoreErrorKind},
    model::{
        Date, Fill as _, Item, ItemDetails, Lot, LotId, MedicineKey, MedicineName, StockDetails, StockSettings, Units,
    },
    operation::JournalOperation,
    service::{LiveStock, NewMedicine, OpeningLot, OpeningStock, stocking},
    store::{Act, ItemFilter, Limit, StockFilter, Transaction},
};
use indicatif::ProgressBar;
use serde_json::{Map, Value};

use super::{
    AdminError,
    database::Database,
    export,
    reports::formulas::{guarded_cell, unguarded},
    table::{Row, Table, Values},
    terminal::{self, say},
    turns::{Import, Options, run},
};

/// The columns of a lot.
const LOT: [&str; 3] = ["lot", "expires", "units"];
/// Medicines that are handed to the store together.
const WINDOW: usize = 200;
/// The number of items that are read together.
const PAGE: Limit = Limit::items(500);

/// Returns the columns of the table.
fn columns() -> Vec<&'static str> {
    [Item::FIELDS, StockSettings::FIELDS, &LOT].concat()
}

/// Adds the medicines of a file, each completely or not at all.
pub(super) async fn import(database: &Database, options: &Options) -> Result<(), AdminError> {
    let mut table = Table::open(&options.file, &columns())?;
    let (today, all_or_nothing) = (options.today()?, options.all_or_nothing);
    let bar = terminal::bytes(table.length());
    let mut rows = Rows::default();
    while let Some(row) = table.next()? {
        rows.enter(row);
        bar.set_position(table.position());
    }
    bar.finish_and_clear();
    let bar = terminal::of(rows.medicines.len() as u64, "medicines");
    let Rows { medicines, faults, read, .. } = rows;
    let import = Medicines { medicines, at: 0, faults, made: Sums::default(), there: 0, today, bar };
    let store = database.existing_or_new()?;
    run(&*store, import, all_or_nothing).await?.close(all_or_nothing, read, table.blank())
}

/// The fault of a field in a line.
type Fault = (u64, FieldError);

/// The rows of a table by medicine, in the order of the first rows.
#[derive(Default)]
struct Rows {
    medicines: Vec<Medicine>,
    places: BTreeMap<MedicineKey, usize>,
    faults: Vec<Fault>,
    read: u64,
}

/// The rows of one medicine.
struct Medicine {
    new: NewMedicine,
    /// The fields of the medicine and its stock in the first row.
    said: Map<String, Value>,
    /// The line of the first row, and those of the lots.
    line: u64,
    lots: Vec<u64>,
    rows: u64,
    is_good: bool,
}

/// A row without the name of its medicine.
struct Parts {
    details: ItemDetails,
    stock: StockDetails,
    /// The fields of medicine and stock that are not empty.
    said: Map<String, Value>,
    lot: LotId,
    units: Option<Units>,
}

impl Rows {
    fn enter(&mut self, Row { line, cells }: Row<'_>) {
        self.read += 1;
        match cells {
            Ok(cells) => self.enter_cells(line, &cells),
            Err(fault) => self.faults.push((line, FieldError::new("row", fault))),
        }
    }

    fn enter_cells(&mut self, line: u64, cells: &[(&'static str, &[u8])]) {
        let texts: Vec<_> = cells
            .iter()
            .map(|(field, cell)| {
                (*field, str::from_utf8(cell).map_or_else(|_| cell.to_vec(), |text| unguarded(text).into()))
            })
            .collect();
        let cells: Vec<(_, &[u8])> = texts.iter().map(|(field, text)| (*field, text.as_slice())).collect();
        let mut values = Values::of(&cells);
        let medicine: Option<MedicineName> = values.value("medicine");
        let parts = Parts::read(&mut values);
        let faults = match (values.verdict(), &medicine) {
            (Err(Error::Invalid(faults)), _) => faults,
            (_, None) => vec![FieldError::new("medicine", "is required")],
            (_, Some(_)) => Vec::new(),
        };
        let is_good = faults.is_empty();
        self.faults.extend(faults.into_iter().map(|fault| (line, fault)));
        let Some(medicine) = medicine else { return };
        let place = self.places.get(medicine.key()).copied();
        let faults = match place.and_then(|place| self.medicines.get_mut(place)) {
            Some(known) => known.goes_on(line, parts, is_good),
            None => {
                self.places.insert(medicine.key().clone(), self.medicines.len());
                let (known, faults) = Medicine::begin(medicine, line, parts, is_good);
                self.medicines.push(known);
                faults
            }
        };
        self.faults.extend(faults.into_iter().map(|fault| (line, fault)));
    }
}

impl Parts {
    fn read(values: &mut Values<'_>) -> Self {
        let (details, stock) = (ItemDetails::filled(values), StockDetails::filled(values));
        let lot = LotId { lot: values.value("lot"), expires: values.value("expires") };
        let units = values.value("units");
        let mut said = Map::new();
        for part in [serde_json::to_value(&details), serde_json::to_value(&stock)] {
            if let Ok(Value::Object(fields)) = part {
                said.extend(fields);
            }
        }
        Self { details, stock, said, lot, units }
    }

    /// Returns the columns of a lot that are not empty.
    fn of_lot(&self) -> impl Iterator<Item = &'static str> {
        let are_there = [self.lot.lot.is_some(), self.lot.expires.is_some(), self.units.is_some()];
        LOT.into_iter().zip(are_there).filter_map(|(name, is_there)| is_there.then_some(name))
    }
}

impl Medicine {
    /// Returns the medicine of a first row, and the faults of the row.
    fn begin(medicine: MedicineName, line: u64, parts: Parts, is_good: bool) -> (Self, Vec<FieldError>) {
        let unit = parts.stock.unit.clone();
        let of_stock = StockSettings::FIELDS.iter().copied().filter(|name| parts.said.contains_key(*name));
        let mut faults = Vec::new();
        if unit.is_none() {
            faults.extend(of_stock.chain(parts.of_lot()).map(|name| FieldError::new(name, "needs a unit")));
        }
        let stock = unit.map(|unit| OpeningStock { unit, details: parts.stock.clone(), opening: Vec::new() });
        let new = NewMedicine { medicine, details: parts.details.clone(), stock };
        let mut medicine = Self {
            new,
            said: parts.said.clone(),
            line,
            lots: Vec::new(),
            rows: 1,
            is_good: is_good && faults.is_empty(),
        };
        if medicine.is_good && parts.of_lot().next().is_some() {
            faults.extend(medicine.add(line, parts));
        }
        medicine.is_good &= faults.is_empty();
        (medicine, faults)
    }

    /// Enters a further row, and returns its faults.
    fn goes_on(&mut self, line: u64, parts: Parts, is_good: bool) -> Vec<FieldError> {
        self.rows += 1;
        let differs = |(name, value): &(&String, &Value)| self.said.get(*name) != Some(*value);
        let differing = parts.said.iter().filter(differs);
        let differing = differing
            .map(|(name, _)| FieldError::new(name.clone(), "must be that of the medicine's first row, or empty"));
        let mut faults: Vec<_> = if self.is_good { differing.collect() } else { Vec::new() };
        if is_good && faults.is_empty() && self.is_good {
            faults.extend(self.add(line, parts));
        }
        self.is_good &= is_good && faults.is_empty();
        faults
    }

    /// Adds a lot, and returns the fault of its row.
    fn add(&mut self, line: u64, parts: Parts) -> Option<FieldError> {
        let named = parts.of_lot().next().unwrap_or("medicine");
        let Parts { lot, units, .. } = parts;
        let Some(stock) = &mut self.new.stock else {
            return Some(FieldError::new(named, "needs a unit in the first row of the medicine"));
        };
        let Some(units) = units else {
            return Some(FieldError::new("units", "is required for a lot"));
        };
        stock.opening.push(OpeningLot { lot, units });
        self.lots.push(line);
        None
    }

    /// Returns the line and the column of a fault that the service has found.
    fn place(&self, FieldError { field, .. }: &FieldError) -> (u64, String) {
        let within = field.strip_prefix("opening[").and_then(|rest| rest.split_once(']'));
        let lot = within.and_then(|(place, rest)| Some((self.lots.get(place.parse::<usize>().ok()?)?, rest)));
        match lot {
            Some((line, "")) => (*line, "lot".to_owned()),
            Some((line, rest)) => (*line, rest.trim_start_matches('.').to_owned()),
            None => (self.line, field.clone().into_owned()),
        }
    }
}

/// A running import.
struct Medicines {
    medicines: Vec<Medicine>,
    /// The number of medicines that are done.
    at: usize,
    faults: Vec<Fault>,
    made: Sums,
    /// The number of medicines that were there, exactly so.
    there: u64,
    /// The facility's day.
    today: Date,
    bar: ProgressBar,
}

/// The sums of what was imported.
#[derive(Default)]
struct Sums {
    medicines: u64,
    tracked: u64,
    lots: usize,
    units: BTreeMap<String, i64>,
}

impl Sums {
    fn add(&mut self, new: &NewMedicine) {
        self.medicines += 1;
        let Some(OpeningStock { unit, opening, .. }) = &new.stock else { return };
        self.tracked += 1;
        self.lots += opening.len();
        *self.units.entry(unit.to_string()).or_default() += opening.iter().map(|lot| lot.units.value()).sum::<i64>();
    }
}

impl Import for Medicines {
    fn is_over(&self) -> bool {
        self.at >= self.medicines.len()
    }

    fn is_good(&self) -> bool {
        self.is_over() && self.faults.is_empty()
    }

    fn some(mut self, transaction: &mut dyn Transaction, turn: Duration) -> Result<Self, StoreError> {
        let at = SystemTime::now().into();
        let act = Act { actor: "care-admin".into(), operation: JournalOperation::ImportMedicines, at, until: None };
        let since = Instant::now();
        while !self.is_over() && since.elapsed() < turn {
            let end = self.medicines.len().min(self.at + WINDOW);
            let some: Vec<_> = self.medicines[self.at..end].iter().filter(|medicine| medicine.is_good).collect();
            let mut decisions: Vec<_> =
                some.iter().map(|medicine| stocking(medicine.new.clone(), self.today)).collect();
            for (medicine, decided) in some.into_iter().zip(transaction.decide_each(&act, &mut decisions)?) {
                match decided {
                    Ok(Some(_)) => self.made.add(&medicine.new),
                    Ok(None) => self.there += 1,
                    Err(refusal) => self.faults.extend(faults(medicine, refusal)),
                }
            }
            self.at = end;
            self.bar.set_position(end as u64);
        }
        Ok(self)
    }
}

/// Returns the faults of a medicine that the service refused.
fn faults(medicine: &Medicine, refusal: Error) -> Vec<Fault> {
    match refusal {
        Error::Invalid(faults) => {
            let placed = faults.into_iter().map(|fault| {
                let (line, field) = medicine.place(&fault);
                (line, FieldError::new(field, fault.detail))
            });
            placed.collect()
        }
        Error::Conflict(Conflict::ItemExists) => {
            vec![(medicine.line, FieldError::new("medicine", "is in the inventory already"))]
        }
        Error::Conflict(Conflict::TooMuchStock) => {
            vec![(medicine.line, FieldError::new("units", "must be at most 1000000000 of a medicine"))]
        }
        _ => vec![(medicine.line, FieldError::new("medicine", "is refused"))],
    }
}

impl Medicines {
    fn close(mut self, all_or_nothing: bool, rows: u64, blank: u64) -> Result<(), AdminError> {
        self.bar.finish_and_clear();
        self.faults.sort_by_key(|(line, _)| *line);
        for (line, fault) in &self.faults {
            eprintln!("line {line}: {fault}");
        }
        let stands = |fault: &FieldError| fault.detail == "is in the inventory already";
        if self.faults.iter().any(|(_, fault)| stands(fault)) {
            eprintln!("a medicine that is there gets no lots from a table; enter them as deliveries");
        }
        let mut lines: Vec<_> = self.faults.iter().map(|(line, _)| *line).collect();
        lines.dedup();
        match lines.len() as u64 {
            0 => say(self.summary(blank)),
            refused => {
                if !all_or_nothing {
                    eprintln!("{}", self.summary(blank));
                }
                let kept = if all_or_nothing { "nothing was imported" } else { "their medicines were not imported" };
                Err(AdminError::Rows { refused, rows, kept })
            }
        }
    }

    fn summary(&self, blank: u64) -> String {
        let Sums { medicines, tracked, lots, units } = &self.made;
        let units: Vec<_> = units.iter().map(|(unit, sum)| format!("{sum} {unit}")).collect();
        let units = if units.is_empty() { String::new() } else { format!(" with {}", units.join(", ")) };
        let there = if self.there == 0 { String::new() } else { format!("; {} were there already", self.there) };
        let blank = match blank {
            0 => String::new(),
            1 => "; 1 blank line left out".to_owned(),
            blank => format!("; {blank} blank lines left out"),
        };
        format!("{medicines} medicines imported, {tracked} of them tracked: {lots} lots{units}{there}{blank}")
    }
}

/// Writes the inventory and its stock.
pub(super) async fn export(database: &Database, out: Option<&Path>) -> Result<(), AdminError> {
    let care = CareService::new(database.existing()?);
    let (items, stocks) = inventory(&care).await.map_err(|error| match error {
        Error::Store(error) => error,
        // Lists refuse nothing.
        _ => StoreErrorKind::Broken.into(),
    })?;
    export::into(out, async |to, name| {
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
