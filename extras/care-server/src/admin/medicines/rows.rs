//! The rows of the table, those of one medicine together.

use std::collections::BTreeMap;

use care_core::{
    error::{Error, FieldError},
    model::{Fill as _, ItemDetails, LotId, MedicineKey, MedicineName, Shelf, StockDetails, StockSettings, Units},
    service::{NewMedicine, OpeningLot, OpeningStock},
};
use serde_json::{Map, Value};

use super::LOT;
use crate::admin::{
    reports::formulas::unguarded,
    table::{Row, Values},
};

/// The fault of a field in a line.
pub(super) type Fault = (u64, FieldError);

/// The rows of a table by medicine, in the order of the first rows.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) medicines: Vec<Medicine>,
    places: BTreeMap<MedicineKey, usize>,
    pub(super) faults: Vec<Fault>,
    pub(super) read: u64,
}

/// The rows of one medicine.
pub(super) struct Medicine {
    pub(super) new: NewMedicine,
    /// The fields of the medicine and its stock in the first row.
    said: Map<String, Value>,
    /// The line of the first row, and those of the lots.
    pub(super) line: u64,
    lots: Vec<u64>,
    pub(super) is_good: bool,
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
    pub(super) fn enter(&mut self, Row { line, cells }: Row<'_>) {
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
        let mut medicine =
            Self { new, said: parts.said.clone(), line, lots: Vec::new(), is_good: is_good && faults.is_empty() };
        if medicine.is_good && parts.of_lot().next().is_some() {
            faults.extend(medicine.add(line, parts));
        }
        medicine.is_good &= faults.is_empty();
        (medicine, faults)
    }

    /// Enters a further row, and returns its faults.
    fn goes_on(&mut self, line: u64, parts: Parts, is_good: bool) -> Vec<FieldError> {
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

    /// Returns about how many records the rows become: the item, its stock, and each lot with its movement.
    pub(super) const fn records(&self) -> usize {
        2 + 2 * self.lots.len()
    }

    /// Adds a lot, and returns the fault of its row.
    fn add(&mut self, line: u64, parts: Parts) -> Option<FieldError> {
        let named = parts.of_lot().next();
        let Parts { lot, units, .. } = parts;
        let Some(stock) = &mut self.new.stock else {
            // Without a lot the row only repeats what the first one says.
            let named = named?;
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
    pub(super) fn place(&self, FieldError { field, .. }: &FieldError) -> (u64, String) {
        let within = field.strip_prefix("opening[").and_then(|rest| rest.split_once(']'));
        let lot = within.and_then(|(place, rest)| Some((self.lots.get(place.parse::<usize>().ok()?)?, rest)));
        match lot {
            // The first lot too many.
            None if field == "opening" => {
                (self.lots.get(Shelf::MAX_LOTS).copied().unwrap_or(self.line), "lot".to_owned())
            }
            Some((line, "")) => (*line, "lot".to_owned()),
            Some((line, rest)) => (*line, rest.trim_start_matches('.').to_owned()),
            None => (self.line, field.clone().into_owned()),
        }
    }
}
