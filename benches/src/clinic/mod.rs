//! Databases of invented clinics, as large as wanted.
//!
//! The service decides a thousand patients' half a year once, in memory. Every further thousand is the same with other
//! numbers, names and totals, so a database of a million patients is written at the speed of the disk and yet holds
//! what the service would have written: `care-admin verify` finds nothing wrong with it.

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
    store::{Act, Change},
};
use care_store_sqlite::{Bulk, SqliteStore};
use futures_executor::block_on;
use indicatif::{ProgressBar, ProgressStyle};

use crate::Failure;
use block::{Block, DAYS, FIRST_DAY, PATIENTS, REGULAR};
use shift::Shift;

pub(crate) use people::{name, phone};

/// Goes up when the clinics change, so that none is measured that was kept from before.
const VERSION: u32 = 1;
/// So many blocks share a transaction.
const TOGETHER: u64 = 10;

/// A database with so many patients.
#[derive(Debug, Clone)]
pub struct Clinic {
    /// Where it is.
    pub path: PathBuf,
    /// How many patients it holds, numbered from 1.
    pub patients: u64,
}

impl Clinic {
    /// The database of this size that is kept in the directory; built if it is not there yet.
    ///
    /// # Errors
    /// The size is not made of whole thousands; the disk is full; and the like.
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

    /// A patient with 60 prescriptions, about half way through all of them.
    ///
    /// # Errors
    /// None, as long as there is one.
    pub fn regular(&self) -> Result<PatientId, Invalid> {
        self.in_the_middle(REGULAR)
    }

    /// A patient half way through all of them who was registered and never came.
    ///
    /// # Errors
    /// None, as long as there is one.
    pub fn middle(&self) -> Result<PatientId, Invalid> {
        self.in_the_middle(1)
    }

    fn in_the_middle(&self, number: u64) -> Result<PatientId, Invalid> {
        let blocks = self.patients / PATIENTS / 2;
        PatientId::try_from((blocks * PATIENTS + number).cast_signed())
    }

    /// The 90 days that a restock report is made of; the 90 before them have prescriptions too.
    ///
    /// # Errors
    /// None: these are days.
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
    block_on(store.bulk(move |bulk| -> Result<(), Undecided> {
        stock.stock.iter().try_for_each(|step| decide(bulk, (step.act.clone(), step.changes.clone())))
    }))?;
    for first in (0..blocks).step_by(TOGETHER as usize) {
        let last = blocks.min(first + TOGETHER);
        let block = Arc::clone(&block);
        block_on(store.bulk(move |bulk| -> Result<(), Undecided> {
            for before in first..last {
                let shift = Shift::new(&block, before);
                block.steps.iter().try_for_each(|step| decide(bulk, shift.step(step)?))?;
            }
            Ok(())
        }))?;
        bar.set_position(last);
    }
    bar.finish_and_clear();
    Ok(())
}

fn decide(bulk: &mut Bulk<'_>, (act, changes): (Act, Vec<Change>)) -> Result<(), Undecided> {
    let mut changes = Some(changes);
    // It asks for nothing, so it runs once.
    bulk.decide(&act, &mut (Box::new(move |_: &_| Ok(changes.take().unwrap_or_default())) as _))?;
    Ok(())
}

/// Why a block was not written.
#[derive(Debug, thiserror::Error)]
enum Undecided {
    #[error(transparent)]
    Refused(#[from] Error),
    #[error(transparent)]
    Value(#[from] Invalid),
}

impl From<care_core::error::StoreError> for Undecided {
    fn from(error: care_core::error::StoreError) -> Self {
        Self::Refused(error.into())
    }
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
