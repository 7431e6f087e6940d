//! Databases of invented clinics of any size.
//!
//! The service decides half a year of a thousand patients once, in memory. Every further thousand has the same
//! decisions with other numbers, names and totals. So a database of a million patients is written at the speed of the
//! disk and still has the content that the service would have written: `care-admin verify` accepts it.

mod block;
pub(crate) mod people;
mod shift;
mod year;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
};

use care_core::{
    error::Error,
    model::{Invalid, PatientId},
    service::CareService,
    store::{Act, Change, Journal, Limit, Maintenance, Seq, Transaction},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

use crate::{Failure, Setting};
use block::{Block, PATIENTS};
use shift::Shift;

pub(crate) use block::{DAYS, REGULAR};
pub(crate) use people::{name, phone};
pub(crate) use year::{FIRST_DAY, Year};

/// The version of the clinics. Raise it when they change, so that kept databases are rebuilt.
const VERSION: u32 = 2;
/// The number of blocks in one transaction.
const TOGETHER: u64 = 10;
/// The number of journal entries that are copied at once.
const PORTION: usize = 20_000;

/// A database with a given number of patients.
pub(crate) struct Clinic {
    /// The path of the file.
    pub(crate) path: PathBuf,
    /// The number of its patients, whose identifiers start at 1.
    pub(crate) patients: u64,
}

impl Clinic {
    /// Returns the database of this size that is kept in the directory, and builds it first if it does not exist.
    pub(crate) fn kept_in(directory: &Path, patients: u64) -> Result<Self, Failure> {
        if patients == 0 || !patients.is_multiple_of(PATIENTS) {
            return Err(format!("a clinic has a whole number of thousands of patients, not {patients}").into());
        }
        let path = directory.join(format!("clinic-{patients}-v{VERSION}.db"));
        if !path.exists() {
            eprintln!("building a clinic of {patients} patients");
            let draft = directory.join(format!("clinic-{patients}.draft"));
            clear(&draft);
            build(&draft, patients / PATIENTS)?;
            fs::rename(&draft, &path)?;
            clear(&draft);
        }
        Ok(Self { path, patients })
    }

    /// Returns the largest clinic of this setting.
    pub(crate) fn largest(setting: &Setting) -> Result<Self, Failure> {
        Self::kept_in(&setting.directory, setting.largest()?)
    }

    /// Returns the patient with this number within the block in the middle of all patients.
    pub(crate) fn in_the_middle(&self, number: u64) -> Result<PatientId, Invalid> {
        let blocks = self.patients / PATIENTS / 2;
        PatientId::try_from((blocks * PATIENTS + number).cast_signed())
    }
}

/// Returns a copy of the clinic for writes; the kept one stays unchanged.
pub(crate) fn copy(setting: &Setting, clinic: &Clinic, name: &str) -> Result<PathBuf, Failure> {
    let path = setting.directory.join(name);
    clear(&path);
    fs::copy(&clinic.path, &path)?;
    // Without this, the first server to sync would pay for the copy.
    File::open(&path)?.sync_all()?;
    Ok(path)
}

/// Removes a database.
pub(crate) fn clear(path: &Path) {
    for left in ["", "-wal", "-shm", ".lock"] {
        let mut name = path.as_os_str().to_owned();
        name.push(left);
        let _ = fs::remove_file(name);
    }
}

/// Returns the path of a new database with the journal of this service.
pub(crate) fn filled(setting: &Setting, name: &str, care: &CareService) -> Result<PathBuf, Failure> {
    let path = setting.directory.join(name);
    clear(&path);
    replay(care.store(), &SqliteStore::open(&path)?)?;
    Ok(path)
}

/// Copies the journal of a store into an empty one, and the records with it.
pub(crate) fn replay(from: &(impl Journal + ?Sized), to: &impl Journal) -> Result<(), Failure> {
    let mut last = Seq::ZERO;
    loop {
        let entries = block_on(from.journal(last, Limit::items(PORTION)))?.items;
        let Some(entry) = entries.last() else {
            return Ok(());
        };
        last = entry.seq;
        block_on(to.replay(entries)).map_err(|error| format!("not copied: {error}"))?;
    }
}

fn build(path: &Path, blocks: u64) -> Result<(), Failure> {
    let store = SqliteStore::open(path)?;
    let block = Arc::new(Block::first()?);
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
    }
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
