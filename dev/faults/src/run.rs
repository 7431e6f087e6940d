//! The settings of a row, and its rounds.

use std::path::{Path, PathBuf};

use care_conformance::Dice;
use care_scratch_postgres::{Installation, installations};

use crate::{
    Failure, Program,
    abuse::{BARS, Bars, Sizes},
};

/// The settings of a row.
#[derive(Debug, Clone)]
pub struct Run {
    /// The number of rounds; each row counts in its own unit.
    pub rounds: u64,
    /// The seed of all random choices.
    pub seed: u64,
    /// The servers under test, with their names.
    pub programs: Vec<(&'static str, Program)>,
    /// The program of this harness, which serves planted bugs.
    pub harness: PathBuf,
    /// The sizes of the data.
    pub sizes: Sizes,
    /// The limits that must hold.
    pub bars: Bars,
    /// The installed PostgreSQL, if there is one.
    pub postgres: Option<Installation>,
}

impl Run {
    /// Returns the settings of the published tables: both servers, and the oldest installed PostgreSQL.
    ///
    /// # Errors
    /// The servers cannot be built.
    pub fn new(harness: &Path, rounds: u64, seed: u64) -> Result<Self, Failure> {
        let (programs, harness) = (Program::both()?, harness.to_owned());
        let postgres = installations().unwrap_or_default().into_iter().next();
        Ok(Self { rounds, seed, programs, harness, sizes: Sizes::FULL, bars: BARS, postgres })
    }

    /// Returns the installed PostgreSQL.
    pub(crate) fn postgres(&self) -> Result<&Installation, Failure> {
        self.postgres.as_ref().ok_or_else(|| Failure::new("left out: no initdb found"))
    }

    /// Returns dice with the seed.
    pub(crate) const fn dice(&self) -> Dice {
        Dice::new(self.seed)
    }

    /// Returns how many rounds each server plays.
    pub(crate) fn each(&self) -> u64 {
        self.rounds.div_ceil(self.programs.len() as u64)
    }

    /// Plays the rounds, half of them on each server. A failure names the round.
    pub(crate) fn on_each(
        &self,
        mut play: impl FnMut(&Program, u64, &mut Dice) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.programs.iter().try_for_each(|(name, program)| {
            let played = self.count(self.each(), |round, dice| play(program, round, dice));
            played.map_err(|failure| failure.when(name))
        })
    }

    /// Plays the rounds of what runs without these servers, or with all of them. A failure names the round.
    pub(crate) fn play(&self, play: impl FnMut(u64, &mut Dice) -> Result<(), Failure>) -> Result<(), Failure> {
        self.count(self.rounds, play)
    }

    /// Plays the rounds, half of them on each server, and as many as `lives` in one clinic, which is opened before and
    /// closed after them.
    pub(crate) fn lives<C>(
        &self,
        lives: u64,
        mut open: impl FnMut(&Program) -> Result<C, Failure>,
        mut live: impl FnMut(&mut C, &Program, &mut Dice) -> Result<(), Failure>,
        mut close: impl FnMut(C) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut kept = None;
        self.on_each(|program, round, dice| {
            let mut clinic = kept.take().map_or_else(|| open(program), Ok)?;
            live(&mut clinic, program, dice)?;
            if (round + 1).is_multiple_of(lives) || round + 1 == self.each() {
                return close(clinic);
            }
            kept = Some(clinic);
            Ok(())
        })
    }

    fn count(&self, rounds: u64, mut play: impl FnMut(u64, &mut Dice) -> Result<(), Failure>) -> Result<(), Failure> {
        let mut dice = self.dice();
        (0..rounds).try_for_each(|round| {
            play(round, &mut dice).map_err(|failure| failure.when(format!("seed {}, round {round}", self.seed)))
        })
    }

    /// Returns a run of the same rounds without a server of its own, for what uses all of them at once.
    #[cfg(feature = "postgres")]
    pub(crate) fn together(&self) -> Self {
        Self { programs: vec![("both", self.programs[0].1.clone())], ..self.clone() }
    }
}
