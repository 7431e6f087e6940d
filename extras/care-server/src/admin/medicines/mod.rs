//! The inventory and its stock as a CSV file: read into a database, and written from one.

mod export;
mod rows;

use std::{collections::BTreeMap, time::SystemTime};

use care_core::{
    error::{Conflict, Error, FieldError, StoreError},
    model::{Item, KeyName, StockSettings, Visible},
    operation::JournalOperation,
    service::{CareService, NewMedicine, OpeningStock},
    store::{Act, Transaction},
};
use indicatif::ProgressBar;

use super::{
    AdminError,
    database::Database,
    table::Table,
    terminal::{self, say},
    turns::{Import, Options, RECORDS, care, run},
};
pub(super) use export::export;
use rows::{Fault, Medicine, Rows};

/// The columns of a lot.
const LOT: [&str; 3] = ["lot", "expires", "units"];
/// The fault of a medicine that the inventory has with other fields, another stock or other lots.
const IS_THERE: &str = "is in the inventory already";

/// Returns the columns of the table.
fn columns() -> Vec<&'static str> {
    [Item::FIELDS, StockSettings::FIELDS, &LOT].concat()
}

/// Adds the medicines of a file, each completely or not at all.
pub(super) async fn import(database: &Database, options: &Options) -> Result<(), AdminError> {
    let mut table = Table::open(&options.file, &columns())?;
    let all_or_nothing = options.all_or_nothing;
    let bar = terminal::bytes(table.length());
    let mut rows = Rows::default();
    while let Some(row) = table.next()? {
        rows.enter(row);
        bar.set_position(table.position());
    }
    bar.finish_and_clear();
    let bar = terminal::of(rows.medicines.len() as u64, "medicines");
    let Rows { medicines, faults, read, .. } = rows;
    database
        .filled(async |store| {
            let (care, made) = (care(database, store)?, Sums::default());
            let import = Medicines { medicines, at: 0, faults, made, there: 0, care, bar };
            run(&**store, import, all_or_nothing).await?.close(all_or_nothing, read, &table.left_out())
        })
        .await
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
    care: CareService,
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

    fn piece(mut self, transaction: &mut dyn Transaction) -> Result<Self, StoreError> {
        let at = SystemTime::now().into();
        let act = Act::new(KeyName::ADMIN, JournalOperation::ImportMedicines, at);
        let left = self.medicines.get(self.at..).unwrap_or_default();
        let mut records = 0;
        let length = left.iter().position(|medicine| {
            records += medicine.records();
            records > RECORDS
        });
        // One medicine alone has fewer.
        let end = self.at + length.unwrap_or(left.len()).max(1);
        let some: Vec<_> = left.iter().take(end - self.at).filter(|medicine| medicine.is_good).collect();
        let mut decisions: Vec<_> = some.iter().map(|medicine| self.care.stocking(medicine.new.clone())).collect();
        for (medicine, decided) in some.into_iter().zip(transaction.decide_each(&act, &mut decisions)?) {
            match decided {
                Ok(Some(_)) => self.made.add(&medicine.new),
                Ok(None) => self.there += 1,
                Err(refusal) => self.faults.extend(faults(medicine, refusal)),
            }
        }
        self.at = end;
        self.bar.set_position(end as u64);
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
            vec![(medicine.line, FieldError::new("medicine", IS_THERE))]
        }
        Error::Conflict(Conflict::TooMuchStock) => {
            vec![(medicine.line, FieldError::new("units", "must be at most 1000000000 of a medicine"))]
        }
        Error::NotFound(_) | Error::Stale(_) | Error::Conflict(_) | Error::Store(_) => {
            vec![(medicine.line, FieldError::new("medicine", "is refused"))]
        }
    }
}

impl Medicines {
    fn close(mut self, all_or_nothing: bool, rows: u64, left_out: &str) -> Result<(), AdminError> {
        self.bar.finish_and_clear();
        self.faults.sort_by_key(|(line, _)| *line);
        for (line, fault) in &self.faults {
            eprintln!("line {line}: {fault}");
        }
        if self.faults.iter().any(|(_, fault)| fault.detail == IS_THERE) {
            eprintln!("a medicine that is there gets no lots from a table; enter them as deliveries");
        }
        let mut lines: Vec<_> = self.faults.iter().map(|(line, _)| *line).collect();
        lines.dedup();
        match lines.len() as u64 {
            0 => say(self.summary(left_out)),
            refused => {
                if !all_or_nothing {
                    eprintln!("{}", self.summary(left_out));
                }
                let kept = if all_or_nothing { "nothing was imported" } else { "their medicines were not imported" };
                Err(AdminError::Rows { refused, rows, kept })
            }
        }
    }

    fn summary(&self, left_out: &str) -> String {
        let Sums { medicines, tracked, lots, units } = &self.made;
        let units: Vec<_> = units.iter().map(|(unit, sum)| format!("{sum} {}", Visible(unit))).collect();
        let units = if units.is_empty() { String::new() } else { format!(" with {}", units.join(", ")) };
        let there = if self.there == 0 { String::new() } else { format!("; {} were there already", self.there) };
        format!("{medicines} medicines imported, {tracked} of them tracked: {lots} lots{units}{there}{left_out}")
    }
}
