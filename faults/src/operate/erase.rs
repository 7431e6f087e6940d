//! Erasing persons beside writers.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::place::{Place, moment};
use crate::{
    clinic::wait,
    dice::Dice,
    failure::{Failure, ensure},
    finding::Finding,
    process::Server,
    programs::Program,
    prove::prove,
    storm::Storm,
    wire::Wire,
};

/// So many clients write beside it.
const WRITERS: usize = 16;
/// An erasure takes as long as a copy of the file, and less than this besides.
const PATIENCE: Duration = Duration::from_secs(30);
/// A copy of the file and its log is made so long after.
const LATER: Duration = Duration::from_secs(1);
/// An erasure is killed within this time.
const WITHIN: Duration = Duration::from_millis(800);
/// One erasure in so many is killed, and run again.
const KILLED: u64 = 8;

/// Erases so many persons beside writers, in a database of so many patients. Each erasure ends, with one entry; and then
/// nothing of the person is in the file, its log, or a copy of both a second later.
///
/// # Errors
/// What did not end, or what is left, with the round.
pub fn erasures(rounds: u64, patients: u64, seed: u64, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let (mut dice, mut longest, mut killed, mut acknowledged) = (Dice::new(seed), Duration::ZERO, 0, 0);
    for (name, program) in programs {
        let each = rounds.div_ceil(programs.len() as u64);
        let place = Place::new()?;
        fill(&place, patients.max(each))?;
        let (storm, mut asked) = (Storm::starting_at(10_000_000), Vec::new());
        let server = Server::start(program, &place.path("care.db"))?;
        crate::clinic::stock(&mut Wire::new(server.address))?;
        let mut entries = 0..=0;
        for round in 1..=each {
            let circumstances = || format!("{name}, seed {seed}, patient {round}");
            let number = round.to_string();
            let task = ["erase-patient", number.as_str(), "--database", "care.db"];
            let begins = moment(&mut dice, Duration::from_millis(50));
            let kill = dice.one_in(KILLED).then(|| moment(&mut dice, WITHIN));
            let (account, done) = storm.rage(
                server.ports(WRITERS),
                &mut dice,
                || 0,
                || {
                    wait(&storm, storm.acknowledged(), begins, || false);
                    let mut done = place.cut_off(&task, kill);
                    if done.as_ref().is_ok_and(|done| done.code.is_none()) {
                        killed += 1;
                        done = place.admin(&task);
                    }
                    storm.end();
                    done
                },
            );
            account.failure.map_or(Ok(()), Err).map_err(|failure| failure.when(circumstances()))?;
            asked.extend(account.asked);
            let done = done?;
            ensure(done.is_done() && done.after < PATIENCE, || format!("{}: {done:?}", circumstances()))?;
            longest = longest.max(done.after);
            let name = planted(round);
            for suffix in ["", "-wal"] {
                let found = find(&place.path(&format!("care.db{suffix}")), &name)?;
                ensure(!found, || format!("{}: the name is in care.db{suffix}", circumstances()))?;
            }
            if round % 4 == 0 {
                later(&place, &name).map_err(|failure| failure.when(circumstances()))?;
            }
            entries = entries.start() + 1..=entries.end() + 1 + u64::from(kill.is_some());
        }
        server.kill()?;
        place.done(&["verify", "care.db"])?;
        prove(&place.path("care.db"), &asked, usize::MAX)?;
        let journal = place.done(&["export", "care.db"])?.out;
        let count = journal.matches(r#""operation":"erasePatient""#).count() as u64;
        ensure(entries.contains(&count), || format!("{name}: {count} entries of {each} erasures, not {entries:?}"))?;
        acknowledged += storm.acknowledged();
    }
    let what = format!("`care-admin erase-patient` beside 16 writers, in a database of {patients} patients");
    let often = format!("{rounds} times, {killed} of them killed and run again; {acknowledged} writes acknowledged");
    let finding = Finding::of(what, often);
    let found = format!(
        "all finish, the longest after {:.1} s, with one entry each; no trace in the file, its log, or copies of both a second later",
        longest.as_secs_f64()
    );
    Ok(vec![finding.found(found)])
}

fn planted(patient: u64) -> String {
    format!("Planted Quillon {patient:07}")
}

fn fill(place: &Place, patients: u64) -> Result<(), Failure> {
    let rows: String = (1..=patients)
        .map(|id| format!("{id},{},{id} Sample Street of a town that has a long name\n", planted(id)))
        .collect();
    fs::write(place.path("patients.csv"), format!("patientId,name,address\n{rows}"))?;
    place.done(&["import-patients", "care.db", "patients.csv"])?;
    Ok(())
}

/// Copies the file and its log, and looks into the copies, as a backup of the folder would have them.
fn later(place: &Place, name: &str) -> Result<(), Failure> {
    let since = Instant::now();
    thread::sleep(LATER);
    for suffix in ["", "-wal"] {
        let (from, to) = (place.path(&format!("care.db{suffix}")), place.path(&format!("copy.db{suffix}")));
        fs::copy(from, &to)?;
        let found = find(&to, name)?;
        ensure(!found, || format!("the name is in a copy of care.db{suffix} after {:?}", since.elapsed()))?;
    }
    Ok(())
}

/// Whether a file holds this name.
fn find(path: &Path, name: &str) -> Result<bool, Failure> {
    let (content, name) = (fs::read(path)?, name.as_bytes());
    Ok(content.windows(name.len()).any(|bytes| bytes == name))
}
