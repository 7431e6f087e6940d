//! A directory with databases, backups and exports.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use care_conformance::Dice;
use care_testkit::ProgramEnd;
use tempfile::TempDir;

use super::bodies::patient;
use crate::{Ending, Failure, Inside, Port, Program, Request, Result, Server, admin, ask, ensure, post};

/// The patient whose number identifies a backup.
pub(crate) const BACKED_UP: u64 = 4242;
/// The patient whose number identifies the database that was there before.
pub(crate) const BEFORE: u64 = 777;
/// A length in bytes beyond the one from which the store does not recheck a whole file that was closed cleanly.
const LARGE: u64 = (64 + 4) << 20;

/// A directory that is removed in the end.
#[derive(Debug)]
pub(crate) struct Place(TempDir);

impl Place {
    /// Makes a directory in memory if the system has one: most need not be kept on a disk.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?))
    }

    pub(crate) fn on_disk() -> Result<Self> {
        Ok(Self(tempfile::tempdir()?))
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the path of the database in use.
    pub(crate) fn database(&self) -> PathBuf {
        self.path("care.db")
    }

    /// Runs a `care-admin` task in the directory, which must succeed.
    ///
    /// # Errors
    /// The error message.
    pub(crate) fn done(&self, task: &[&str]) -> Result<ProgramEnd> {
        let done = admin(self.folder(), &[], task, None)?;
        ensure!(done.status.success(), "`care-admin {}`: {}", task.join(" "), done.log);
        Ok(done)
    }

    /// Creates a database with the patient who identifies it. A large one exceeds every size at which the store changes
    /// its behaviour.
    pub(crate) fn create(&self, name: &str, patient_id: u64, is_large: bool) -> Result<()> {
        let path = self.path(name);
        let mut inside = Inside::open(&path)?;
        ask(&mut inside, Request::registration(patient_id))?;
        let mut id = 1_000_000;
        while is_large && fs::metadata(&path)?.len() < LARGE {
            for _ in 0..500 {
                post(&mut inside, "/patient", patient(id))?;
                id += 1;
            }
        }
        Ok(())
    }

    /// Fails if a task has left a draft in the directory.
    pub(crate) fn has_no_drafts(&self) -> Result<()> {
        let is_draft = |file: &fs::DirEntry| file.file_name().to_string_lossy().contains("-unfinished-");
        let left = fs::read_dir(self.folder())?.flatten().filter(is_draft).count();
        ensure!(left == 0, "{left} drafts are left");
        Ok(())
    }

    /// Returns whether a database in the directory is sound and has this patient.
    pub(crate) fn holds(&self, name: &str, patient: u64) -> Result<bool> {
        has(&mut Inside::open(&self.path(name))?, patient)
    }

    /// Copies a file of another directory.
    pub(crate) fn copy(&self, from: &Self, source: &str, name: &str) -> Result<()> {
        fs::copy(from.path(source), self.path(name))?;
        Ok(())
    }

    /// Starts a task and, on the database, a server, each at a random moment of this time; kills one task in `kills` at
    /// another. Returns how both ended.
    pub(crate) fn beside_a_start(
        &self,
        program: &Program,
        task: &[&str],
        within: Duration,
        kills: u64,
        dice: &mut Dice,
    ) -> Result<(ProgramEnd, Result<Server>)> {
        let (begins, starts) = (moment(dice, within), moment(dice, within));
        let kill = dice.one_in(kills).then(|| moment(dice, within));
        thread::scope(|scope| {
            let server = scope.spawn(|| {
                thread::sleep(starts);
                Server::start(program, &self.database())
            });
            thread::sleep(begins);
            let done = admin(self.folder(), &[], task, kill);
            let server = server.join().map_err(|_| Failure::new("the thread that starts the server panicked"))?;
            Ok((done?, server))
        })
    }
}

/// Returns whether a patient exists.
pub(crate) fn has(port: &mut dyn Port, patient: u64) -> Result<bool> {
    match port.ask(&Request::get(format!("/patient/{patient}"))) {
        Ending::Answer(answer) if answer.status == 200 => Ok(true),
        Ending::Answer(answer) if answer.status == 404 => Ok(false),
        said => Err(Failure::new(format!("patient {patient} is answered {said:?}"))),
    }
}

/// Returns a random duration below this one.
pub(crate) fn moment(dice: &mut Dice, within: Duration) -> Duration {
    Duration::from_micros(dice.roll(within.as_micros().max(1) as u64))
}
