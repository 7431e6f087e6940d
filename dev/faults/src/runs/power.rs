//! Power cuts: everything acknowledged is there.
//!
//! Storms run on a database whose disk is watched; between them the store is closed and opened again, so that the log
//! is copied into the file more than once. Afterwards the power is "cut" at many moments by reconstructing the disk's
//! content: everything that had been synced by then and, of the rest, nothing, everything, the beginning, some writes
//! and not others, or torn writes. Each image is opened like any database and checked.

use std::{fs, sync::Arc, time::Duration};

use care_conformance::Dice;

use crate::{
    Attempt, Clinic, Context as _, Finding, Front as _, Inside, NOTHING, Outcome, Place, Result, Run,
    disk::{Cut, Disk, Image, watch},
    prove, stock,
};

/// The number of clients that write at once.
const CLIENTS: usize = 16;
/// The number of cuts that are made from one recording.
const CUTS: u64 = 200;
/// The number of times that the database is opened in one recording.
const SESSIONS: u64 = 3;

/// Cuts the power.
pub(crate) fn cut(run: &Run) -> Result<Vec<Finding>> {
    let (unsynced, looked_for) = cuts(run.rounds, run.seed)?;
    let often =
        format!("{} cuts, {unsynced} with something unsynced; {looked_for} acknowledged writes looked for", run.rounds);
    let mut finding = Finding::new(often).found(NOTHING);
    let is_enough = unsynced * 3 > run.rounds && looked_for > 8 * run.rounds;
    finding.bar(is_enough, || "the cuts could have shown nothing".to_owned());
    Ok(vec![finding])
}

/// Returns how many cuts hit something unsynced, and how many acknowledged writes were looked for in all images.
fn cuts(rounds: u64, seed: u64) -> Result<(u64, u64)> {
    let mut dice = Dice::new(seed);
    let (mut done, mut unsynced, mut looked_for) = (0, 0, 0);
    while done < rounds {
        let (mut image, asked) = record(&mut dice)?;
        let some = CUTS.min(rounds - done);
        let mut moments: Vec<_> = (0..some).map(|_| dice.roll(image.length() as u64 + 1) as usize).collect();
        moments.sort_unstable();
        for moment in moments {
            image.advance(moment, &mut dice);
            unsynced += u64::from(image.is_unsynced());
            looked_for += one(&image, moment, &asked, &mut dice).when(format!("seed {seed}, cut {done}"))?;
            done += 1;
        }
    }
    Ok((unsynced, looked_for))
}

/// Checks one image, and returns how many acknowledged writes it holds.
pub(super) fn one(image: &Image, moment: usize, asked: &[Attempt], dice: &mut Dice) -> Result<u64> {
    let (place, cut) = (Place::new()?, Cut::any(dice));
    image.write(&place.database(), cut, dice)?;
    if dice.one_in(2) {
        // The log's index is never synced, so its content must not matter.
        let garbage: Vec<u8> = (0..32768).map(|_| dice.roll(256) as u8).collect();
        fs::write(place.path("care.db-shm"), garbage)?;
    }
    let proven = prove(&place.database(), asked, moment);
    proven.when(format!("after a power cut ({cut:?} at {moment})"))?;
    let known = asked.iter().filter(|asked| asked.outcome == Outcome::Done && asked.position <= moment);
    Ok(known.count() as u64)
}

/// Returns a stocked clinic whose disk is watched, with what is in the file so far.
pub(super) fn watched() -> Result<(Clinic, Arc<Disk>, Vec<u8>)> {
    let mut clinic = Clinic::new()?;
    stock(&mut Inside::open(&clinic.database())?)?;
    let before = fs::read(clinic.database())?;
    let disk = watch(&fs::canonicalize(clinic.database())?);
    clinic.storm.position = disk.position();
    Ok((clinic, disk, before))
}

/// Lets clients write to a watched disk. Returns the recording, and what the clients know.
fn record(dice: &mut Dice) -> Result<(Image, Vec<Attempt>)> {
    let (mut clinic, disk, before) = watched()?;
    for _ in 0..SESSIONS {
        let inside = Inside::open(&clinic.database())?;
        clinic.write_for(Duration::from_micros(50_000 + dice.roll(200_000)), inside.ports(CLIENTS), dice)?;
    }
    disk.leave();
    Ok((Image::new(before, &disk), clinic.asked))
}
