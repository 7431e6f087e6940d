//! Databases of invented clinics of any size.
//!
//! The service decides half a year of a thousand patients once, in memory. Every further thousand has the same
//! decisions with other numbers, names and totals. So a database of a million patients is written at the speed of the
//! disk and still has the content that the service would have written: `care-admin verify` accepts it.

mod block;
pub(crate) mod people;
mod shift;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use care_core::{
    error::Error,
    model::{Date, Invalid, PatientId},
    store::{Act, Change, Maintenance, Transaction},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;
use indicatif::{ProgressBar, ProgressStyle};

use crate::Failure;
use block::{Block, DAYS, FIRST_DAY, PATIENTS, REGULAR};
use shift::Shift;

pub(crate) use people::{name, phone};

/// The version of the clinics. Raise it when they change, so that kept databases are rebuilt.
const VERSION: u32 = 2;
/// The number of blocks in one transaction.
const TOGETHER: u64 = 10;

/// A database with a given number of patients.
#[derive(Debug, Clone)]
pub struct Clinic {
    /// The path of the file.
    pub path: PathBuf,
    /// The number of its patients, whose identifiers start at 1.
    pub patients: u64,
}

impl Clinic {
    /// Returns the database of this size that is kept in the directory, and builds it first if it does not exist.
    ///
    /// # Errors
    /// When the size is not a multiple of a thousand, or the database cannot be written.
    pub fn kept_in(directory: &Path, patients: u64) -> Result<Self, Failure> {
        if patients == 0 || !patients.is_multiple_of(PATIENTS) {
            return Err(format!("a clinic has a whole number of thousands of patients, not {patients}").into());
        }
        let path = directory.join(format!("clinic-{patients}-v{VERSION}.db"));
        if !path.exists() {
            let draft = directory.join(format!("clinic-{patients}.draft"));
            let clear = |left: &[&str]| {
                left.iter().for_each(|left| {
                    let _ = fs::remove_file(directory.join(format!("clinic-{patients}.draft{left}")));
                });
            };
            clear(&["", "-wal", "-shm"]);
            build(&draft, patients / PATIENTS)?;
            fs::rename(&draft, &path)?;
            clear(&[".lock"]);
        }
        Ok(Self { path, patients })
    }

    /// Returns a patient with 60 prescriptions, about halfway through all patients.
    ///
    /// # Errors
    /// When the clinic is empty.
    pub fn regular(&self) -> Result<PatientId, Invalid> {
        self.in_the_middle(REGULAR)
    }

    /// Returns a patient halfway through all of them who was registered and never came.
    ///
    /// # Errors
    /// When the clinic is empty.
    pub fn middle(&self) -> Result<PatientId, Invalid> {
        self.in_the_middle(1)
    }

    fn in_the_middle(&self, number: u64) -> Result<PatientId, Invalid> {
        let blocks = self.patients / PATIENTS / 2;
        PatientId::try_from((blocks * PATIENTS + number).cast_signed())
    }

    /// Returns the 90 days of a restock report. The 90 days before have prescriptions too.
    ///
    /// # Errors
    /// None in practice: these are days of the calendar.
    pub fn period() -> Result<(Date, Date), Invalid> {
        let day = |day: u64| Date::from_unix_days(day.cast_signed());
        Ok((day(FIRST_DAY + DAYS / 2)?, day(FIRST_DAY + DAYS - 1)?))
    }
}

fn build(path: &Path, blocks: u64) -> Result<(), Failure> {
    let store = SqliteStore::open(path)?;
    let block = Arc::new(Block::first()?);
    let style = "building {wide_bar} {percent} %, {eta} left";
    let bar = ProgressBar::new(blocks).with_style(ProgressStyle::with_template(style)?);
    let stock = Arc::clone(&block);
    block_on(store.alone(Box::new(move |alone| {
        stock.stock.iter().try_for_each(|step| decide(alone, (step.act.clone(), step.changes.clone())))
    })))?;
    for first in (0..blocks).step_by(TOGETHER as usize) {
        let last = blocks.min(first + TOGETHER);
        let block = Arc::clone(&block);
        block_on(store.alone(Box::new(move |alone| {
            for before in first..last {
                let shift = Shift::new(&block, before);
                block.steps.iter().try_for_each(|step| {
                    let step = shift.step(step).map_err(|broken| Error::field("step", broken.rule()))?;
                    decide(alone, step)
                })?;
            }
            Ok(())
        })))?;
        bar.set_position(last);
    }
    bar.finish_and_clear();
    Ok(())
}

fn decide(alone: &mut dyn Transaction, (act, changes): (Act, Vec<Change>)) -> Result<(), Error> {
    let mut changes = Some(changes);
    // The decision asks for no record, so it runs once.
    alone.decide(&act, &mut (Box::new(move |_: &_| Ok(changes.take().unwrap_or_default().into())) as _))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use care_core::audit;

    use super::*;

    #[test]
    fn a_clinic_of_many_blocks_holds_what_the_service_would_have_written() {
        let directory = tempfile::tempdir().unwrap();
        let clinic = Clinic::kept_in(directory.path(), 3000).unwrap();
        let store = SqliteStore::open(&clinic.path).unwrap();
        block_on(store.check()).unwrap();
        block_on(audit::verify(&store)).unwrap();
    }
}
