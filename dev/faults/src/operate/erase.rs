//! Erasing persons while clients write.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;

use super::{
    live_server::LiveServer,
    place::{Place, moment},
};
use crate::base::{
    failure::{Failure, ensure},
    finding::Finding,
    programs::Program,
};

/// The number of clients that write meanwhile.
const WRITERS: usize = 16;
/// Longest time for an erasure. Copying the file takes a second or two; the rest is slack for a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);
/// The time after an erasure at which the file and its log are copied.
const LATER: Duration = Duration::from_secs(1);
/// Longest time before an erasure is killed.
const WITHIN: Duration = Duration::from_millis(800);
/// One erasure in this many is killed and repeated.
const KILLED: u64 = 8;
/// The number of persons that are erased from one database: writers make it grow, and each erasure rewrites it.
const EACH: u64 = 10;
/// The number of the first patient that a client registers. The persons to erase have smaller numbers.
const FIRST: u64 = 10_000_000;

/// The durations of the erasures.
#[derive(Debug, Default)]
struct ErasureTimes {
    times: Vec<Duration>,
    killed: u64,
    acknowledged: u64,
}

/// Erases `rounds` persons while clients write, in databases with `patients` patients. Each erasure ends with one
/// journal entry. Afterwards nothing about the person is in the file, in its log, or in a copy of both a second later.
///
/// # Errors
/// An erasure that does not end, or something that is left of a person, with the round.
pub fn erasures(rounds: u64, patients: u64, seed: u64, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let (mut dice, mut done) = (Dice::new(seed), ErasureTimes::default());
    let source = Place::new()?;
    fill(&source, patients.max(EACH))?;
    for (name, program) in programs {
        let each = rounds.div_ceil(programs.len() as u64);
        for first in (0..each).step_by(EACH as usize) {
            several(&source, EACH.min(each - first), program, &mut dice, &mut done)
                .map_err(|failure| failure.when(format!("{name}, seed {seed}, round {first} and those after it")))?;
        }
    }
    let ErasureTimes { mut times, killed, acknowledged } = done;
    times.sort_unstable();
    let what = format!("`care-admin erase-patient` beside 16 writers, in a database of {patients} patients");
    let often =
        format!("{} times, {killed} of them killed and run again; {acknowledged} writes acknowledged", times.len());
    let found = format!(
        "all finish, half of them within {:.1} s and the last after {:.1} s, with one entry each; no trace in the \
         file, its log, or copies of both a second later",
        times.get(times.len() / 2).unwrap_or(&Duration::ZERO).as_secs_f64(),
        times.last().unwrap_or(&Duration::ZERO).as_secs_f64()
    );
    Ok(vec![Finding::of(what, often).found(found)])
}

/// Erases the first `count` persons of one database, one after another.
fn several(
    source: &Place,
    count: u64,
    program: &Program,
    dice: &mut Dice,
    done: &mut ErasureTimes,
) -> Result<(), Failure> {
    let place = Place::new()?;
    place.copy(&source.path("care.db"), "care.db")?;
    let mut live = LiveServer::open(place, program, FIRST)?;
    // A killed erasure may have left its entry; then its repetition adds none.
    let mut entries = 0..=0;
    for patient in 1..=count {
        let (took, was_killed) =
            one(&mut live, patient, dice).map_err(|failure| failure.when(format!("patient {patient}")))?;
        done.times.push(took);
        done.killed += u64::from(was_killed);
        entries = entries.start() + 1..=entries.end() + 1 + u64::from(was_killed);
    }
    let (place, acknowledged) = live.close()?;
    done.acknowledged += acknowledged;
    let journal = place.done(&["export", "--database", "care.db"])?.out;
    let found = journal.matches(r#""operation":"erasePatient""#).count() as u64;
    ensure(entries.contains(&found), || format!("{found} entries of {count} erasures, not {entries:?}"))
}

/// Returns how long the erasure took, and whether it was killed first.
fn one(live: &mut LiveServer, patient: u64, dice: &mut Dice) -> Result<(Duration, bool), Failure> {
    let number = patient.to_string();
    let task = ["erase-patient", number.as_str(), "--database", "care.db"];
    let begins = moment(dice, Duration::from_millis(50));
    let kill = dice.one_in(KILLED).then(|| moment(dice, WITHIN));
    let (done, was_killed) = live.beside(
        WRITERS,
        begins,
        dice,
        || 0,
        |place, _, _| {
            let done = place.cut_off(&task, kill)?;
            match done.code {
                None => Ok((place.admin(&task)?, true)),
                Some(_) => Ok((done, false)),
            }
        },
    )?;
    ensure(done.is_done() && done.after < PATIENCE, || format!("{done:?}"))?;
    let name = planted(patient);
    for suffix in ["", "-wal"] {
        let is_found = holds(&live.place.path(&format!("care.db{suffix}")), &name)?;
        ensure(!is_found, || format!("the name is in care.db{suffix}"))?;
    }
    if patient.is_multiple_of(4) {
        later(&live.place, &name)?;
    }
    Ok((done.after, was_killed))
}

/// Returns a patient's name, which occurs nowhere else.
fn planted(patient: u64) -> String {
    format!("Planted Quillon {patient:07}")
}

fn fill(place: &Place, patients: u64) -> Result<(), Failure> {
    let rows: String = (1..=patients)
        .map(|id| format!("{id},{},{id} Sample Street of a town that has a long name\n", planted(id)))
        .collect();
    fs::write(place.path("patients.csv"), format!("patientId,name,address\n{rows}"))?;
    place.done(&["import-patients", "--database", "care.db", "patients.csv"])?;
    Ok(())
}

/// Copies the file and its log, as a backup of the directory would, and searches the copies for the name.
fn later(place: &Place, name: &str) -> Result<(), Failure> {
    let since = Instant::now();
    thread::sleep(LATER);
    for suffix in ["", "-wal"] {
        let (from, to) = (place.path(&format!("care.db{suffix}")), place.path(&format!("copy.db{suffix}")));
        fs::copy(from, &to)?;
        let is_found = holds(&to, name)?;
        ensure(!is_found, || format!("the name is in a copy of care.db{suffix} after {:?}", since.elapsed()))?;
    }
    Ok(())
}

/// Returns whether a file holds this name.
fn holds(path: &Path, name: &str) -> Result<bool, Failure> {
    Ok(memchr::memmem::find(&fs::read(path)?, name.as_bytes()).is_some())
}
