//! Power cuts: everything acknowledged is there.
//!
//! Storms run on a database whose disk is watched; between them the store is closed and opened again, so that the log
//! is copied into the file more than once. Afterwards the power is "cut" at many moments by reconstructing the disk's
//! content: everything that had been synced by then and, of the rest, nothing, everything, the beginning, some writes
//! and not others, or torn writes. Each image is opened like any database and checked.

use std::{fs, time::Duration};

use care_conformance::Dice;
use tempfile::TempDir;

use crate::{
    base::{attempt::Attempt, failure::Failure, inside::Inside},
    disk::{Cut, Disk, Image},
    work::{
        clinic::{Clinic, wait},
        prove::prove,
    },
};

/// The number of clients that write at once.
const CLIENTS: usize = 16;
/// The number of cuts that are made from one recording.
const CUTS: u64 = 200;
/// The number of times that the database is opened in one recording.
const SESSIONS: u64 = 3;

/// The power cuts that caused no loss.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cuts {
    /// The number of cuts.
    pub cuts: u64,
    /// The number of cuts that hit something unsynced.
    pub unsynced: u64,
    /// The number of acknowledged writes that were looked for and found, over all images.
    pub looked_for: u64,
}

/// Cuts the power this number of times.
///
/// # Errors
/// The writes that are lost, half there or there twice, with the cut.
pub fn cut(cuts: u64, seed: u64) -> Result<Cuts, Failure> {
    run(cuts, seed, false)
}

/// Cuts the power like [`cut`], on a disk that confirms syncs without syncing.
///
/// # Errors
/// The lost writes, of which there must be some.
pub fn cut_on_a_lying_disk(cuts: u64, seed: u64) -> Result<Cuts, Failure> {
    run(cuts, seed, true)
}

fn run(cuts: u64, seed: u64, lies: bool) -> Result<Cuts, Failure> {
    let mut dice = Dice::new(seed);
    let mut done = Cuts::default();
    while done.cuts < cuts {
        let (mut image, asked) = record(&mut dice, lies)?;
        let mut moments: Vec<usize> =
            (0..CUTS.min(cuts - done.cuts)).map(|_| dice.roll(image.length() as u64 + 1) as usize).collect();
        moments.sort_unstable();
        for moment in moments {
            image.advance(moment, &mut dice);
            let cut = Cut::any(&mut dice);
            done.unsynced += u64::from(image.is_unsynced());
            done.looked_for += one(&image, cut, moment, &asked, &mut dice)
                .map_err(|failure| failure.when(format!("seed {seed}, cut {} ({cut:?} at {moment})", done.cuts)))?;
            done.cuts += 1;
        }
    }
    Ok(done)
}

/// Checks one image, and returns how many acknowledged writes it holds.
pub(crate) fn one(image: &Image, cut: Cut, moment: usize, asked: &[Attempt], dice: &mut Dice) -> Result<u64, Failure> {
    let folder = in_memory()?;
    let path = folder.path().join("care.db");
    image.write(&path, cut, dice)?;
    if dice.one_in(2) {
        // The log's index is never synced, so its content must not matter.
        let garbage: Vec<u8> = (0..32768).map(|_| dice.roll(256) as u8).collect();
        fs::write(folder.path().join("care.db-shm"), garbage)?;
    }
    prove(&path, asked, moment)?;
    let known =
        asked.iter().filter(|asked| asked.outcome == crate::base::attempt::Outcome::Done && asked.position <= moment);
    Ok(known.count() as u64)
}

/// Lets clients write to a watched disk. Returns the recording, and what the clients know.
fn record(dice: &mut Dice, lies: bool) -> Result<(Image, Vec<Attempt>), Failure> {
    let clinic = Clinic::new()?;
    let database = clinic.database();
    clinic.stock(&mut Inside::open(&database)?)?;
    let before = fs::read(&database)?;
    let disk = Disk::watch(&fs::canonicalize(&database)?);
    if lies {
        disk.lie();
    }
    let mut asked = Vec::new();
    for _ in 0..SESSIONS {
        let inside = Inside::open(&database)?;
        let a_while = Duration::from_micros(50_000 + dice.roll(200_000));
        let (account, ()) = clinic.storm.run_clients(
            inside.ports(CLIENTS),
            dice,
            || disk.position(),
            || {
                wait(&clinic.storm, clinic.storm.acknowledged(), a_while, || false);
                clinic.storm.end();
            },
        );
        asked.extend(account.asked);
        account.failure.map_or(Ok(()), Err)?;
    }
    disk.leave();
    Ok((Image::new(before, &disk), asked))
}

/// Creates a directory in memory if the system has one: there are many images, and none needs to be kept on disk.
pub(crate) fn in_memory() -> Result<TempDir, Failure> {
    Ok(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?)
}
