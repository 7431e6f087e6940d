//! A database in a directory of its own, served by one server after another, and what its clients know.

use std::{
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;

use super::{place::Place, prove::prove, storm::Storm};
use crate::{Attempt, Failure, Outcome, Port, Program, Request, Result, Server, ensure};

/// A database, and everything that its clients know about it.
#[derive(Debug)]
pub(crate) struct Clinic {
    pub(crate) place: Place,
    pub(crate) storm: Storm,
    pub(crate) asked: Vec<Attempt>,
}

impl Clinic {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self::at(Place::on_disk()?))
    }

    pub(crate) fn at(place: Place) -> Self {
        Self { place, storm: Storm::default(), asked: Vec::new() }
    }

    /// Creates a clinic whose clients continue through outages behind the servers.
    #[cfg(feature = "postgres")]
    pub(crate) fn through_outages() -> Result<Self> {
        Ok(Self { storm: Storm::through_outages(), ..Self::new()? })
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.place.database()
    }

    /// Starts a server on the database, and fills its inventory if it is empty.
    pub(crate) fn serve(&self, program: &Program) -> Result<Server> {
        let server = Server::start(program, &self.database())?;
        stock(&mut server.port())?;
        Ok(server)
    }

    /// Repeats every write that an earlier server did not answer, as a client does that does not know its outcome.
    /// Afterwards each is done, once.
    pub(crate) fn repeat_unanswered(&mut self, port: &mut dyn Port) -> Result<()> {
        let unknown = self.asked.iter_mut().filter(|asked| asked.outcome == Outcome::Unknown);
        // Other clients may have changed the hot item since, so repeating a change without a key would be a new change.
        let is_repeatable =
            |asked: &&mut Attempt| asked.request.key.is_some() || !asked.request.path.starts_with("/inventory/");
        for asked in unknown.filter(is_repeatable) {
            let said = port.ask(&asked.request);
            match said.status() {
                Some(200 | 201 | 204) => asked.outcome = Outcome::Done,
                Some(404) if asked.request.method == "DELETE" => asked.outcome = Outcome::Done,
                _ => return Err(Failure::new(format!("repeated, {:?} is answered {said:?}", asked.request))),
            }
        }
        Ok(())
    }

    /// Runs a writing client on each port until `disturb` ends. Returns its result.
    ///
    /// # Errors
    /// An answer that no client may get, or the failure of what disturbs them.
    pub(crate) fn beside<T>(
        &mut self,
        ports: Vec<Box<dyn Port + '_>>,
        dice: &mut Dice,
        disturb: impl FnOnce(&Storm, &Place) -> Result<T>,
    ) -> Result<T> {
        let (failure, done) = self.beside_whatever(ports, dice, disturb)?;
        failure.map_or(Ok(done), Err)
    }

    /// Does the same, and returns the forbidden answers with the result.
    pub(crate) fn beside_whatever<T>(
        &mut self,
        ports: Vec<Box<dyn Port + '_>>,
        dice: &mut Dice,
        disturb: impl FnOnce(&Storm, &Place) -> Result<T>,
    ) -> Result<(Option<Failure>, T)> {
        let Self { storm, place, .. } = self;
        let (account, done) = storm.run_clients(ports, dice, || {
            let done = disturb(storm, place);
            storm.end();
            done
        })?;
        self.asked.extend(account.asked);
        match (account.failure, done) {
            // If clients stopped early, that explains what `disturb` missed.
            (Some(failure), Err(_)) => Err(failure),
            (failure, done) => Ok((failure, done?)),
        }
    }

    /// Runs a writing client on each port, from the first acknowledged write on for this time.
    pub(crate) fn write_for(&mut self, time: Duration, ports: Vec<Box<dyn Port + '_>>, dice: &mut Dice) -> Result<()> {
        self.beside(ports, dice, |storm, _| {
            storm.wait(time, || false);
            Ok(())
        })
    }

    /// Returns how many writes have this outcome.
    pub(crate) fn count(&self, outcome: Outcome) -> u64 {
        self.asked.iter().filter(|asked| asked.outcome == outcome).count() as u64
    }

    /// Checks with `care-admin verify` and the journal that the database holds what its clients know.
    pub(crate) fn prove(&self) -> Result<()> {
        self.place.done(&["verify", "--database", "care.db"])?;
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

    /// Waits for the moment. Counting writes instead of time makes a storm on a slow machine as full as on a fast one.
    pub(crate) fn wait(self, storm: &Storm) {
        let before = storm.acknowledged();
        storm.wait(Self::PATIENCE, || storm.acknowledged() >= before + self.writes);
        thread::sleep(self.pause);
    }
}

impl Storm {
    /// Waits until something is acknowledged, and then a while, unless it is over before.
    pub(crate) fn wait(&self, a_while: Duration, mut is_over: impl FnMut() -> bool) {
        let (begun, before) = (Instant::now(), self.acknowledged());
        while self.acknowledged() == before && begun.elapsed() < Duration::from_secs(20) && !is_over() {
            thread::sleep(Duration::from_millis(1));
        }
        let begun = Instant::now();
        while begun.elapsed() < a_while && !is_over() {
            thread::sleep(Duration::from_millis(1).min(a_while));
        }
    }
}

/// Fills a database's inventory if it is empty.
pub(crate) fn stock(port: &mut dyn Port) -> Result<()> {
    for (medicine, price) in [("Ibuprofen", 4), ("Metformin", 9), ("Paracetamol", 2)] {
        let item = Request::new("POST", format!("/inventory/{medicine}"));
        let said = port.ask(&item.body(format!(r#"{{"price":{price},"currency":"EUR"}}"#)));
        ensure!(matches!(said.status(), Some(200 | 409)), "the inventory cannot be filled: {said:?}");
    }
    // The hot medicine is tracked, with one lot that outlasts every storm and is dispensed before the others.
    let opening = r#"{"unit":"tablets","opening":[{"lot":"a","units":900000000}]}"#;
    let said = port.ask(&Request::new("POST", "/inventory/Ibuprofen/stock").body(opening));
    ensure!(matches!(said.status(), Some(201 | 409)), "the stock cannot be started: {said:?}");
    Ok(())
}
