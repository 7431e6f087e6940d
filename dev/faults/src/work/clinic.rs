//! A database in a directory of its own, served by one server after another.

use std::{
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use tempfile::TempDir;

use super::{prove::prove, storm::Storm};
use crate::base::{
    attempt::{Attempt, Ending, Outcome, Port, Request},
    failure::{Failure, ensure},
    process::{Server, verify},
};

/// A database, and everything that its clients know about it.
#[derive(Debug)]
pub(crate) struct Clinic {
    folder: TempDir,
    pub(crate) storm: Storm,
    pub(crate) asked: Vec<Attempt>,
}

impl Clinic {
    pub(crate) fn new() -> Result<Self, Failure> {
        Ok(Self { folder: tempfile::tempdir()?, storm: Storm::default(), asked: Vec::new() })
    }

    /// Creates a clinic whose clients continue through outages behind the servers.
    #[cfg(feature = "postgres")]
    pub(crate) fn through_outages() -> Result<Self, Failure> {
        Ok(Self { storm: Storm::through_outages(), ..Self::new()? })
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join("care.db")
    }

    /// Fills the inventory if it is empty.
    pub(crate) fn stock(&self, port: &mut dyn Port) -> Result<(), Failure> {
        stock(port)
    }

    /// Repeats every write that an earlier server did not answer, as a client does that does not know its outcome.
    /// Afterwards each is done, once.
    pub(crate) fn repeat_unanswered(&mut self, port: &mut dyn Port) -> Result<(), Failure> {
        let unknown = self.asked.iter_mut().filter(|asked| asked.outcome == Outcome::Unknown);
        // Other clients may have changed the hot item since, so repeating a change without a key would be a new change.
        let is_repeatable =
            |asked: &&mut Attempt| asked.request.key.is_some() || !asked.request.path.starts_with("/inventory/");
        for asked in unknown.filter(is_repeatable) {
            let said = port.ask(&asked.request);
            match &said {
                Ending::Answer(answer) if matches!(answer.status, 200 | 201 | 204) => asked.outcome = Outcome::Done,
                Ending::Answer(answer) if answer.status == 404 && asked.request.method == "DELETE" => {
                    asked.outcome = Outcome::Done;
                }
                _ => return Err(Failure::new(format!("repeated, {:?} is answered {said:?}", asked.request))),
            }
        }
        Ok(())
    }

    /// Lets clients write to a server until `meanwhile` ends.
    pub(crate) fn run_clients(
        &mut self,
        server: Server,
        clients: usize,
        dice: &mut Dice,
        meanwhile: impl FnOnce(Server, &Storm) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let ports = server.ports(clients);
        let (failure, ()) = self.beside(ports, dice, |storm| meanwhile(server, storm))?;
        failure.map_or(Ok(()), Err)
    }

    /// Runs a writing client on each port until `meanwhile` ends. Returns its result with the forbidden answers.
    pub(crate) fn beside<T>(
        &mut self,
        ports: Vec<Box<dyn Port + '_>>,
        dice: &mut Dice,
        meanwhile: impl FnOnce(&Storm) -> Result<T, Failure>,
    ) -> Result<(Option<Failure>, T), Failure> {
        let storm = &self.storm;
        let (account, done) = storm.run_clients(
            ports,
            dice,
            || 0,
            || {
                let done = meanwhile(storm);
                storm.end();
                done
            },
        );
        self.asked.extend(account.asked);
        match (account.failure, done) {
            // If clients stopped early, that explains what `meanwhile` missed.
            (Some(failure), Err(_)) => Err(failure),
            (failure, done) => Ok((failure, done?)),
        }
    }

    /// Runs a writing client on each port, from the first acknowledged write on for this time.
    pub(crate) fn write_for(
        &mut self,
        time: Duration,
        ports: Vec<Box<dyn Port + '_>>,
        dice: &mut Dice,
    ) -> Result<(), Failure> {
        let (failure, ()) = self.beside(ports, dice, |storm| {
            wait(storm, storm.acknowledged(), time, || false);
            Ok(())
        })?;
        failure.map_or(Ok(()), Err)
    }

    /// Checks with `care-admin verify` and the journal that the database holds what its clients know.
    pub(crate) fn prove(&self) -> Result<(), Failure> {
        verify(&self.database())?;
        prove(&self.database(), &self.asked, usize::MAX)
    }
}

/// A random moment of a storm: after some writes, and then a pause.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    writes: u64,
    pause: Duration,
}

impl Moment {
    /// Fewer writes than this precede it.
    const WRITES: u64 = 600;
    /// Longest time for these writes, counted from the first.
    const PATIENCE: Duration = Duration::from_secs(5);
    /// Upper bound of the pause after the writes, in microseconds.
    const PAUSE: u64 = 20_000;

    pub(crate) fn of(dice: &mut Dice) -> Self {
        Self { writes: dice.roll(Self::WRITES), pause: Duration::from_micros(dice.roll(Self::PAUSE)) }
    }

    /// Waits for the moment.
    pub(crate) fn wait(self, storm: &Storm) {
        self.wait_around(storm, || ());
    }

    /// Waits for the moment, and runs `between` between the writes and the pause. Counting writes instead of time makes
    /// a storm on a slow machine as full as on a fast one.
    pub(crate) fn wait_around<T>(self, storm: &Storm, between: impl FnOnce() -> T) -> T {
        let before = storm.acknowledged();
        wait(storm, before, Self::PATIENCE, || storm.acknowledged() >= before + self.writes);
        let done = between();
        thread::sleep(self.pause);
        done
    }
}

/// Waits until a storm has acknowledged something, and then a while, unless it ends before.
pub(crate) fn wait(storm: &Storm, before: u64, a_while: Duration, mut is_over: impl FnMut() -> bool) {
    let begun = Instant::now();
    while storm.acknowledged() == before && begun.elapsed() < Duration::from_secs(20) && !is_over() {
        thread::sleep(Duration::from_millis(1));
    }
    let begun = Instant::now();
    while begun.elapsed() < a_while && !is_over() {
        thread::sleep(Duration::from_millis(1).min(a_while));
    }
}

/// Fills a database's inventory if it is empty.
pub(crate) fn stock(port: &mut dyn Port) -> Result<(), Failure> {
    for (medicine, price) in [("Ibuprofen", 4), ("Metformin", 9), ("Paracetamol", 2)] {
        let item = Request::new("POST", format!("/inventory/{medicine}"));
        let said = port.ask(&item.body(format!(r#"{{"price":{price},"currency":"EUR"}}"#)));
        let is_there = matches!(&said, Ending::Answer(answer) if matches!(answer.status, 200 | 409));
        ensure(is_there, || format!("the inventory cannot be filled: {said:?}"))?;
    }
    // The hot medicine is tracked, with one lot that outlasts every storm and is dispensed before the others.
    let opening = r#"{"unit":"tablets","opening":[{"lot":"a","units":900000000}]}"#;
    let said = port.ask(&Request::new("POST", "/inventory/Ibuprofen/stock").body(opening));
    let is_tracked = matches!(&said, Ending::Answer(answer) if matches!(answer.status, 201 | 409));
    ensure(is_tracked, || format!("the stock cannot be started: {said:?}"))
}
