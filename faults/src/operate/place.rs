//! A folder in which an operator works.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use tempfile::TempDir;

use super::LARGE;
use crate::{
    abuse::patient,
    admin::{Done, Running, admin},
    asked::{Port, Request, Said},
    clients::ask,
    dice::Dice,
    failure::{Failure, ensure},
    inside::Inside,
    power::in_memory,
    process::Server,
    programs::Program,
};

/// The patient by whom a database is told from others.
pub(crate) const BACKED_UP: u64 = 4242;
/// The one of what was there before.
pub(crate) const BEFORE: u64 = 777;

/// A folder with files in it.
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

    /// Runs a task of `care-admin` here.
    pub(crate) fn admin(&self, task: &[&str]) -> Result<Done, Failure> {
        admin(self.folder(), task)
    }

    /// Runs a task that must be done.
    pub(crate) fn done(&self, task: &[&str]) -> Result<Done, Failure> {
        let done = self.admin(task)?;
        ensure(done.is_done(), || format!("`care-admin {}`: {}", task.join(" "), done.err))?;
        Ok(done)
    }

    /// Runs a task, and kills it after this time if it is to be killed.
    pub(crate) fn cut_off(&self, task: &[&str], after: Option<Duration>) -> Result<Done, Failure> {
        let mut running = Running::begin(self.folder(), task)?;
        if let Some(after) = after {
            thread::sleep(after);
            running.kill()?;
        }
        running.end()
    }

    /// Makes a database that is told by this patient; a large one is longer than any size at which something changes.
    pub(crate) fn database(&self, name: &str, told_by: u64, is_large: bool) -> Result<(), Failure> {
        let path = self.path(name);
        let mut inside = Inside::open(&path)?;
        let told = Request::new("POST", "/patient").body(format!(r#"{{"patientId":{told_by},"name":"Told"}}"#));
        ask(&mut inside, told)?;
        let mut id = 1_000_000;
        while is_large && fs::metadata(&path)?.len() < LARGE + (4 << 20) {
            for _ in 0..500 {
                ask(&mut inside, Request::new("POST", "/patient").body(patient(id)))?;
                id += 1;
            }
        }
        Ok(())
    }

    /// Whether a database here is sound and has this patient.
    pub(crate) fn holds(&self, name: &str, patient: u64) -> Result<bool, Failure> {
        let mut inside = Inside::open(&self.path(name))?;
        has(&mut inside, patient)
    }

    pub(crate) fn copy(&self, from: &Path, name: &str) -> Result<(), Failure> {
        fs::copy(from, self.path(name))?;
        Ok(())
    }
}

/// Whether a patient is there.
pub(crate) fn has(port: &mut dyn Port, patient: u64) -> Result<bool, Failure> {
    match port.ask(&Request::new("GET", format!("/patient/{patient}"))) {
        Said::Answer(answer) if answer.status == 200 => Ok(true),
        Said::Answer(answer) if answer.status == 404 => Ok(false),
        said => Err(Failure::new(format!("patient {patient} is answered {said:?}"))),
    }
}

/// Starts a server a moment later, and says what came of it.
pub(crate) fn started(program: &Program, database: &Path, after: Duration) -> Result<Server, Failure> {
    thread::sleep(after);
    Server::start(program, database)
}

/// A moment within this time.
pub(crate) fn moment(dice: &mut Dice, within: Duration) -> Duration {
    Duration::from_micros(dice.roll(within.as_micros().max(1) as u64))
}
