//! Disks that fail: no answer is a lie.
//!
//! Writes and syncs of the database and its log fail with an I/O error or for lack of space, once or for some time, in
//! the middle of a storm. Afterwards, everything acknowledged must be there and everything refused (503, 507) must not:
//! in the file as it is, and after power cuts. Reads continue meanwhile, and writes resume once there is space again.

use std::{
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use care_testkit::until;

use super::power::{one, watched};
use crate::{
    Attempt, Context as _, Failure, Finding, Front as _, Inside, Outcome, Request, Result, Run,
    disk::{FailurePlan, Image, Trouble},
    prove, told,
};

/// The number of clients that write at once.
const CLIENTS: usize = 8;
/// The number of power cuts after each fault at the moments when clients were told of it, and as many at random
/// moments.
const CUTS: usize = 3;
/// Longest time until writes resume once there is space again.
const HEALING: Duration = Duration::from_secs(2);

/// The answers to clients while disks failed.
#[derive(Debug, Default)]
struct Told {
    /// The number of rounds that had a fault.
    rounds: u64,
    /// The number of calls that failed.
    calls: u64,
    acknowledged: u64,
    refused: u64,
    unknown: u64,
}

/// Makes the disk fail in each round.
pub(crate) fn fail(run: &Run) -> Result<Vec<Finding>> {
    let (mut dice, mut counts) = (run.dice(), Told::default());
    while counts.rounds < run.rounds {
        let trouble = [Trouble::Write, Trouble::Sync, Trouble::Full][(counts.rounds % 3) as usize];
        let times = if dice.one_in(2) { 1 } else { 1 + dice.roll(200) };
        let after = dice.roll(if trouble == Trouble::Sync { 40 } else { 600 });
        let fault = FailurePlan { trouble, after, times };
        let circumstances = format!("seed {}, round {} ({fault:?})", run.seed, counts.rounds);
        round(fault, &mut counts, &mut dice).when(circumstances)?;
    }
    let Told { rounds, calls, acknowledged, refused, unknown } = counts;
    let often = format!(
        "{rounds} faults, {calls} failed calls; {acknowledged} writes acknowledged, {refused} refused, {unknown} \
         unknown"
    );
    let mut finding = Finding::new(often).found("0 false acknowledgements, 0 false refusals");
    let is_enough = acknowledged > 3 * rounds && refused > rounds && unknown > 0;
    finding.bar(is_enough, || "the faults could have shown nothing".to_owned());
    Ok(vec![finding])
}

fn round(fault: FailurePlan, counts: &mut Told, dice: &mut Dice) -> Result<()> {
    let (mut clinic, disk, before) = watched()?;
    let mut inside = Inside::open(&clinic.database())?;
    disk.fail(Some(fault));
    clinic.beside(inside.ports(CLIENTS), dice, |_, _| {
        until(Duration::from_secs(20), || disk.failed() > 0);
        // Later events count too.
        thread::sleep(Duration::from_millis(20));
        Ok(())
    })?;
    for path in ["/inventory/Ibuprofen", "/inventory", "/patient"] {
        told(&mut inside, &Request::get(path), 200)?;
    }
    disk.fail(None);
    let (begun, mut heals) = (Instant::now(), fault.trouble != Trouble::Full);
    while !heals {
        // Its refusals and its one acknowledged write count like those of any other client.
        let mut one = Attempt::register(&mut inside, clinic.storm.serial());
        one.position = disk.position().load(Ordering::SeqCst);
        match one.outcome {
            Outcome::Done => heals = true,
            Outcome::Refused if begun.elapsed() < HEALING => thread::sleep(Duration::from_millis(20)),
            outcome => return Err(Failure::new(format!("with room again, a write is {outcome:?}"))),
        }
        clinic.asked.push(one);
    }
    drop(inside);
    disk.leave();
    let asked = &clinic.asked;
    prove(&clinic.database(), asked, usize::MAX).when("in the file")?;
    let mut image = Image::new(before, &disk);
    // At random moments after the first failed call, and when the first clients were told of it, before anything was
    // written over what had failed.
    let first = disk.first_failure().unwrap_or_default();
    let mut moments: Vec<usize> = asked.iter().map(|asked| asked.position).filter(|heard| *heard > first).collect();
    moments.sort_unstable();
    moments.dedup();
    moments.truncate(CUTS);
    moments.extend((0..CUTS).map(|_| first + dice.roll((image.length() - first) as u64 + 1) as usize));
    moments.sort_unstable();
    for moment in moments {
        image.advance(moment, dice);
        one(&image, moment, asked, dice)?;
    }
    if disk.failed() > 0 {
        counts.rounds += 1;
        counts.calls += disk.failed();
        counts.acknowledged += clinic.count(Outcome::Done);
        counts.refused += clinic.count(Outcome::Refused);
        counts.unknown += clinic.count(Outcome::Unknown);
    }
    Ok(())
}
