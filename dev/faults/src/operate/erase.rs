//! Erasing persons while clients write.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;

use crate::{Clinic, Finding, Front as _, Place, Result, Run, Server, Storm, admin, ensure, moment};

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

/// Erases persons while clients write. Each erasure ends with one journal entry. Afterwards nothing about the person is
/// in the file, in its log, or in a copy of both a second later.
pub(crate) fn erasures(run: &Run) -> Result<Vec<Finding>> {
    let (mut times, mut killed) = (Vec::new(), 0);
    let (source, patients) = (Place::new()?, run.sizes.registered.max(EACH));
    fill(&source, patients)?;
    let acknowledged = run.lives(
        EACH,
        |program| {
            let place = Place::new()?;
            place.copy(&source, "care.db", "care.db")?;
            let clinic = Clinic { storm: Storm::starting_at(FIRST), ..Clinic::at(place) };
            // A killed erasure may have left its entry; then its repetition adds none.
            Ok((clinic.serve(program)?, clinic, 0, 0))
        },
        |(server, clinic, count, uncertain), _, dice| {
            *count += 1;
            let (took, was_killed) = one(clinic, server, *count, dice)?;
            times.push(took);
            *uncertain += u64::from(was_killed);
            Ok(())
        },
        |(server, clinic, count, uncertain)| {
            server.kill()?;
            clinic.prove()?;
            killed += uncertain;
            let journal = clinic.place.done(&["export", "--database", "care.db"])?.out;
            let found = journal.iter().filter(|line| line.contains(r#""operation":"erasePatient""#)).count() as u64;
            ensure!((count..=count + uncertain).contains(&found), "{found} entries of {count} erasures");
            Ok(clinic.storm.acknowledged())
        },
    )?;
    times.sort_unstable();
    let what = format!("`care-admin erase-patient` beside 16 writers, in a database of {patients} patients");
    let often =
        format!("{} times, {killed} of them killed and run again; {acknowledged} writes acknowledged", times.len());
    let found = format!(
        "all finish, half of them within {:.1} s and the last after {:.1} s, with one entry each; no trace in the \
         file, its log, or copies of both a second later",
        times[times.len() / 2].as_secs_f64(),
        times[times.len() - 1].as_secs_f64()
    );
    Ok(vec![Finding::of(what, often).found(found)])
}

/// Returns how long the erasure took, and whether it was killed first.
fn one(clinic: &mut Clinic, server: &Server, patient: u64, dice: &mut Dice) -> Result<(Duration, bool)> {
    let number = patient.to_string();
    let task = ["erase-patient", number.as_str(), "--database", "care.db"];
    let begins = moment(dice, Duration::from_millis(50));
    let kill = dice.one_in(KILLED).then(|| moment(dice, WITHIN));
    let (done, was_killed) = clinic.beside(server.ports(WRITERS), dice, |storm, place| {
        storm.wait(begins, || false);
        let done = admin(place.folder(), &[], &task, kill)?;
        match done.status.code() {
            None => Ok((place.done(&task)?, true)),
            Some(_) => Ok((done, false)),
        }
    })?;
    ensure!(done.status.success() && done.after < PATIENCE, "patient {patient}: {done:?}");
    let name = planted(patient);
    let since = Instant::now();
    for file in ["care.db", "care.db-wal"] {
        is_nowhere(&clinic.place, file, &name, since)?;
    }
    if patient.is_multiple_of(4) {
        // Another one is taken of both files, as a backup of the directory would.
        thread::sleep(LATER);
        for suffix in ["", "-wal"] {
            let copy = format!("copy.db{suffix}");
            fs::copy(clinic.place.path(&format!("care.db{suffix}")), clinic.place.path(&copy))?;
            is_nowhere(&clinic.place, &copy, &name, since)?;
        }
    }
    Ok((done.after, was_killed))
}

/// Returns a patient's name, which occurs nowhere else.
fn planted(patient: u64) -> String {
    format!("Planted Quillon {patient:07}")
}

fn fill(place: &Place, patients: u64) -> Result<()> {
    let rows: String = (1..=patients)
        .map(|id| format!("{id},{},{id} Sample Street of a town that has a long name\n", planted(id)))
        .collect();
    fs::write(place.path("patients.csv"), format!("patientId,name,address\n{rows}"))?;
    place.done(&["import-patients", "--database", "care.db", "patients.csv"]).map(drop)
}

/// Fails if a file holds this name.
fn is_nowhere(place: &Place, file: &str, name: &str, since: Instant) -> Result<()> {
    let is_found = memchr::memmem::find(&fs::read(place.path(file))?, name.as_bytes()).is_some();
    ensure!(!is_found, "{name} is in {file} after {:?}", since.elapsed());
    Ok(())
}
