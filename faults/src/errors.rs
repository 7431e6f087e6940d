//! The disk fails, and no answer is a lie.
//!
//! Writes and syncs of the database and its log fail with an I/O error or for want of room, once or for some time, in
//! the middle of a storm. What was acknowledged must be there afterwards, and what was refused (503, 507) must not be:
//! in the file as it is, and after power cuts besides. Reads go on meanwhile; and once there is room again, writes do.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use crate::{
    asked::{Outcome, Port, Request, Said},
    clinic::Clinic,
    dice::Dice,
    disk::{Cut, Disk, Fault, Image, Trouble},
    failure::{Failure, ensure},
    inside::Inside,
    power::one,
    prove::prove,
};

/// So many clients write at once.
const CLIENTS: usize = 8;
/// So many cuts follow each fault as soon as clients have heard of it, and so many at any time.
const CUTS: usize = 3;
/// Within this time a disk with room again is written to again.
const HEALING: Duration = Duration::from_secs(2);

/// What the faults have proven.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Faults {
    /// How many rounds had a fault, and how many calls failed in them.
    pub rounds: u64,
    /// How many calls failed.
    pub calls: u64,
    /// How many writes were acknowledged in them.
    pub acknowledged: u64,
    /// How many were refused (503, 507), and nothing of them was ever there.
    pub refused: u64,
    /// How many ended unknown (500).
    pub unknown: u64,
}

/// Lets the disk fail.
///
/// # Errors
/// What was lost, or there although it was refused, with the round.
pub fn fail(rounds: u64, seed: u64) -> Result<Faults, Failure> {
    let mut dice = Dice::new(seed);
    let mut faults = Faults::default();
    while faults.rounds < rounds {
        let trouble = [Trouble::Write, Trouble::Sync, Trouble::Full][(faults.rounds % 3) as usize];
        let times = if dice.one_in(2) { 1 } else { 1 + dice.roll(200) };
        let after = dice.roll(if trouble == Trouble::Sync { 40 } else { 600 });
        let fault = Fault { trouble, after, times };
        let circumstances = format!("seed {seed}, round {} ({fault:?})", faults.rounds);
        round(fault, &mut faults, &mut dice).map_err(|failure| failure.when(circumstances))?;
    }
    Ok(faults)
}

fn round(fault: Fault, faults: &mut Faults, dice: &mut Dice) -> Result<(), Failure> {
    let clinic = Clinic::new()?;
    let database = clinic.database();
    clinic.stock(&mut Inside::open(&database)?)?;
    let before = fs::read(&database)?;
    let disk = Disk::watch(&fs::canonicalize(&database)?);
    let inside = Inside::open(&database)?;
    disk.fail(Some(fault));
    let (account, ()) = clinic.storm.rage(
        inside.ports(CLIENTS),
        dice,
        || disk.position(),
        || {
            let begun = Instant::now();
            while disk.failed() == 0 && begun.elapsed() < Duration::from_secs(20) {
                thread::sleep(Duration::from_millis(1));
            }
            // Long enough to see what comes after.
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
        // Refusals and the one write that is not, as of any other client.
        asked.extend(heals(&mut port, &clinic, &disk)?);
    }
    drop(port);
    disk.leave();
    prove(&database, &asked, usize::MAX).map_err(|failure| failure.when("in the file"))?;
    let mut image = Image::new(before, &disk);
    // From the moment on when the first call failed; and just when the first clients heard of it, before anything more
    // was written over what had failed.
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
        let is_read = matches!(&said, Said::Answer(answer) if answer.status == 200);
        ensure(is_read, || format!("{path} is not read any more: {said:?}"))?;
    }
    Ok(())
}

/// With room again, a write is acknowledged soon. Answers what was asked for that.
fn heals(port: &mut Inside, clinic: &Clinic, disk: &Disk) -> Result<Vec<crate::asked::Asked>, Failure> {
    let begun = Instant::now();
    let mut asked = Vec::new();
    while begun.elapsed() < HEALING {
        let phone = clinic.storm.serial();
        let request =
            Request::new("POST", "/patient").body(format!(r#"{{"patientId":{phone}}}"#)).key(format!("k{phone}"));
        let sent = Instant::now();
        let said = port.ask(&request);
        let outcome = match &said {
            Said::Answer(answer) if answer.status == 201 => Outcome::Done,
            Said::Answer(answer) if matches!(answer.status, 503 | 507) => Outcome::Refused,
            _ => return Err(Failure::new(format!("with room again, a write is answered {said:?}"))),
        };
        let marks = vec![format!("reply k{phone}")];
        asked.push(crate::asked::Asked { request, marks, outcome, sent, position: disk.position() });
        if outcome == Outcome::Done {
            return Ok(asked);
        }
        thread::sleep(Duration::from_millis(20));
    }
    Err(Failure::new("with room again, no write is acknowledged"))
}
