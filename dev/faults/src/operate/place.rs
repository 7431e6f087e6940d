//! A directory in which an operator works.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use care_conformance::Dice;
use tempfile::TempDir;

use super::LARGE;
use crate::{
    abuse::patient,
    base::{
        admin::{RunningTask, TaskEnd, admin},
        attempt::{Ending, Port, Request},
        failure::{Failure, ensure},
        inside::Inside,
        process::Server,
        programs::Program,
    },
    runs::power::in_memory,
    work::clients::ask,
};

/// The patient whose number identifies the backup.
pub(crate) const BACKED_UP: u64 = 4242;
/// The patient whose number identifies the database that was there before.
pub(crate) const BEFORE: u64 = 777;

/// A directory in memory, with databases, backups and exports.
#[derive(Debug)]
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Result<Self, Failure> {
        Ok(Self(in_memory()?))
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a `care-admin` task in the directory.
    pub(crate) fn admin(&self, task: &[&str]) -> Result<TaskEnd, Failure> {
        admin(self.folder(), task)
    }

    /// Runs a task that must succeed.
    ///
    /// # Errors
    /// The error message.
    pub(crate) fn done(&self, task: &[&str]) -> Result<TaskEnd, Failure> {
        let done = self.admin(task)?;
        ensure(done.is_done(), || format!("`care-admin {}`: {}", task.join(" "), done.err))?;
        Ok(done)
    }

    /// Runs a task, and kills it after this time if one is given.
    pub(crate) fn cut_off(&self, task: &[&str], after: Option<Duration>) -> Result<TaskEnd, Failure> {
        let running = RunningTask::begin(self.folder(), task)?;
        if let Some(after) = after {
            thread::sleep(after);
            running.kill()?;
        }
        running.end()
    }

    /// Creates a database with this patient. A large one exceeds every size at which the store changes its behaviour.
    pub(crate) fn database(&self, name: &str, patient_id: u64, is_large: bool) -> Result<(), Failure> {
        let path = self.path(name);
        let mut inside = Inside::open(&path)?;
        ask(&mut inside, told(patient_id))?;
        let mut id = 1_000_000;
        while is_large && fs::metadata(&path)?.len() < LARGE + (4 << 20) {
            for _ in 0..500 {
                ask(&mut inside, Request::new("POST", "/patient").body(patient(id)))?;
                id += 1;
            }
        }
        Ok(())
    }

    /// Fails if a task has left a draft in the directory.
    pub(crate) fn has_no_drafts(&self) -> Result<(), Failure> {
        let is_draft = |file: &fs::DirEntry| file.file_name().to_string_lossy().contains("-unfinished-");
        let left = fs::read_dir(self.folder())?.flatten().filter(is_draft).count();
        ensure(left == 0, || format!("{left} drafts are left"))
    }

    /// Returns whether a database in the directory is sound and has this patient.
    pub(crate) fn holds(&self, name: &str, patient: u64) -> Result<bool, Failure> {
        let mut inside = Inside::open(&self.path(name))?;
        has(&mut inside, patient)
    }

    pub(crate) fn copy(&self, from: &Path, name: &str) -> Result<(), Failure> {
        fs::copy(from, self.path(name))?;
        Ok(())
    }
}

/// Returns the request that registers the patient who identifies a database.
pub(crate) fn told(patient: u64) -> Request {
    Request::new("POST", "/patient").body(format!(r#"{{"patientId":{patient},"name":"Told"}}"#))
}

/// Returns whether a patient exists.
pub(crate) fn has(port: &mut dyn Port, patient: u64) -> Result<bool, Failure> {
    match port.ask(&Request::new("GET", format!("/patient/{patient}"))) {
        Ending::Answer(answer) if answer.status == 200 => Ok(true),
        Ending::Answer(answer) if answer.status == 404 => Ok(false),
        said => Err(Failure::new(format!("patient {patient} is answered {said:?}"))),
    }
}

/// Starts a task and, on the database in the same directory, a server, each after a delay of its own; kills the task if
/// `kill` says when. Returns how both ended.
pub(crate) fn beside_a_start(
    place: &Place,
    program: &Program,
    starts: Duration,
    begins: Duration,
    task: &[&str],
    kill: Option<Duration>,
) -> Result<(TaskEnd, Result<Server, Failure>), Failure> {
    thread::scope(|scope| {
        let server = scope.spawn(|| {
            thread::sleep(starts);
            Server::start(program, &place.path("care.db"))
        });
        thread::sleep(begins);
        let done = place.cut_off(task, kill);
        let server = server.join().map_err(|_| Failure::new("the thread that starts the server panicked"))?;
        Ok((done?, server))
    })
}

/// Returns a random duration below this one.
pub(crate) fn moment(dice: &mut Dice, within: Duration) -> Duration {
    Duration::from_micros(dice.roll(within.as_micros().max(1) as u64))
}
