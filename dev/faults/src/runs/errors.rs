//! Disks that fail: no answer is a lie.
//!
//! Writes and syncs of the database and its log fail with an I/O error or for lack of space, once or for some time, in
//! the middle of a storm. Afterwards, everything acknowledged must be there and everything refused (503, 507) must not:
//! in the file as it is, and after power cuts. Reads continue meanwhile, and writes resume once there is space again.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use care_testkit::until;

use super::power::one;
use crate::{
    base::{
        attempt::{Ending, Outcome, Port, Request},
        failure::{Failure, ensure},
        inside::Inside,
    },
    disk::{Cut, Disk, FailurePlan, Image, Trouble},
    work::{clinic::Clinic, prove::prove},
};

/// The number of clients that write at once.
const CLIENTS: usize = 8;
/// The number of power cuts after each fault at the moments when clients were told of it, and as many at random
/// moments.
const CUTS: usize = 3;
/// Longest time until writes resume once there is space again.
const HEALING: Duration = Duration::from_secs(2);

/// The answers to clients while disks failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Faults {
    /// The number of rounds that had a fault.
    pub rounds: u64,
    /// The number of calls that failed.
    pub calls: u64,
    /// The number of writes that were acknowledged.
    pub acknowledged: u64,
    /// The number of those that were refused (503, 507).
    pub refused: u64,
    /// The number of writes whose outcome is unknown (500).
    pub unknown: u64,
}

/// Makes the disk fail in each of this many rounds.
///
/// # Errors
/// The writes that are lost, or there although they were refused, with the round.
pub fn fail(rounds: u64, seed: u64) -> Result<Faults, Failure> {
    let mut dice = Dice::new(seed);
    let mut faults = Faults::default();
    while faults.rounds < rounds {
        let trouble = [Trouble::Write, Trouble::Sync, Trouble::Full][(faults.rounds % 3) as usize];
        let times = if dice.one_in(2) { 1 } else { 1 + dice.roll(200) };
        let after = dice.roll(if trouble == Trouble::Sync { 40 } else { 600 });
        let fault = FailurePlan { trouble, after, times };
        let circumstances = format!("seed {seed}, round {} ({fault:?})", faults.rounds);
        round(fault, &mut faults, &mut dice).map_err(|failure| failure.when(circumstances))?;
    }
    Ok(faults)
}

fn round(fault: FailurePlan, faults: &mut Faults, dice: &mut Dice) -> Result<(), Failure> {
    let clinic = Clinic::new()?;
    let database = clinic.database();
    clinic.stock(&mut Inside::open(&database)?)?;
    let before = fs::read(&database)?;
    let disk = Disk::watch(&fs::canonicalize(&database)?);
    let inside = Inside::open(&database)?;
    disk.fail(Some(fault));
    let (account, ()) = clinic.storm.run_clients(
        inside.ports(CLIENTS),
        dice,
        || disk.position(),
        || {
            until(Duration::from_secs(20), || disk.failed() > 0);
            // Later events count too.
            thread::sleep(Duration::from_millis(20));
            clinic.storm.end();
        },
    );
    account.failure.map_or(Ok(()), Err)?;
    let mut asked = account.asked;
    let mut port = inside;
    goes_on_reading(&mut port)?;
    disk.fail(None);
    if fault.trouble == Trouble::Full {
        // Its refusals and its one acknowledged write count like those of any other client.
        asked.extend(heals(&mut port, &clinic, &disk)?);
    }
    drop(port);
    disk.leave();
    prove(&database, &asked, usize::MAX).map_err(|failure| failure.when("in the file"))?;
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
        let cut = Cut::any(dice);
        one(&image, cut, moment, &asked, dice)
            .map_err(|failure| failure.when(format!("after a power cut ({cut:?} at {moment})")))?;
    }
    if disk.failed() > 0 {
        let count = |outcome| asked.iter().filter(|asked| asked.outcome == outcome).count() as u64;
        faults.rounds += 1;
        faults.calls += disk.failed();
        faults.acknowledged += count(Outcome::Done);
        faults.refused += count(Outcome::Refused);
        faults.unknown += count(Outcome::Unknown);
    }
    Ok(())
}

fn goes_on_reading(port: &mut Inside) -> Result<(), Failure> {
    for path in ["/inventory/Ibuprofen", "/inventory", "/patient"] {
        let said = port.ask(&Request::new("GET", path));
        ensure(said.status() == Some(200), || format!("{path} is no longer read: {said:?}"))?;
    }
    Ok(())
}

/// Waits until a write is acknowledged on a disk with space again, and returns the writes that it tried.
fn heals(port: &mut Inside, clinic: &Clinic, disk: &Disk) -> Result<Vec<crate::base::attempt::Attempt>, Failure> {
    let begun = Instant::now();
    let mut asked = Vec::new();
    while begun.elapsed() < HEALING {
        let number = clinic.storm.serial();
        let request = Request::registration(number);
        let sent = Instant::now();
        let said = port.ask(&request);
        let outcome = match &said {
            Ending::Answer(answer) if answer.status == 201 => Outcome::Done,
            Ending::Answer(answer) if matches!(answer.status, 503 | 507) => Outcome::Refused,
            _ => return Err(Failure::new(format!("with room again, a write is answered {said:?}"))),
        };
        let marks = vec![format!("reply k{number}")];
        asked.push(crate::base::attempt::Attempt { request, marks, outcome, sent, position: disk.position() });
        if outcome == Outcome::Done {
            return Ok(asked);
        }
        thread::sleep(Duration::from_millis(20));
    }
    Err(Failure::new("with room again, no write is acknowledged"))
}
