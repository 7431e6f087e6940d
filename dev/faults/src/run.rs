//! The settings of a row, and its rounds.

use care_conformance::Dice;
use care_scratch_postgres::{Installation, installations};

use crate::{Context as _, Failure, Finding, Program, Result, abuse::Sizes};

/// The settings of a row.
#[derive(Debug, Clone)]
pub struct Run {
    /// The number of rounds; each row counts in its own unit.
    pub rounds: u64,
    /// The seed of all random choices.
    pub seed: u64,
    /// The servers under test, with their names.
    pub programs: Vec<(&'static str, Program)>,
    /// The sizes of the data.
    pub(crate) sizes: Sizes,
    /// The installed PostgreSQL, if there is one.
    pub postgres: Option<Installation>,
}

impl Run {
    /// Returns the settings of the published tables: both servers, and the oldest installed PostgreSQL.
    ///
    /// # Errors
    /// The servers cannot be built.
    pub fn new(rounds: u64, seed: u64) -> Result<Self> {
        let postgres = installations().unwrap_or_default().into_iter().next();
        Ok(Self { rounds, seed, programs: Program::both()?, sizes: Sizes::new(false), postgres })
    }

    /// Returns the same rounds with few data, which are held to no times.
    #[must_use]
    pub fn short(self) -> Self {
        Self { sizes: Sizes::new(true), ..self }
    }

    /// Returns the installed PostgreSQL.
    pub(crate) fn postgres(&self) -> Result<&Installation> {
        self.postgres.as_ref().ok_or_else(|| Failure::new("left out: no initdb found"))
    }

    /// Returns the finding of rounds in which this many writes were acknowledged.
    pub(crate) fn stormed(&self, acknowledged: u64, found: impl Into<String>) -> Finding {
        Finding::new(format!("{} times; {acknowledged} writes acknowledged", self.rounds)).found(found)
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
    pub(crate) fn on_each(&self, mut play: impl FnMut(&Program, u64, &mut Dice) -> Result<()>) -> Result<()> {
        self.programs.iter().try_for_each(|(name, program)| {
            let played = self.count(self.each(), |round, dice| play(program, round, dice));
            played.when(name)
        })
    }

    /// Plays the rounds of what runs without these servers, or with all of them. A failure names the round.
    pub(crate) fn play(&self, play: impl FnMut(u64, &mut Dice) -> Result<()>) -> Result<()> {
        self.count(self.rounds, play)
    }

    /// Plays the rounds, half of them on each server, and as many as `lives` in one clinic, which is opened before and
    /// closed after them. Returns the sum of what the closing of each has found.
    pub(crate) fn lives<C>(
        &self,
        lives: u64,
        mut open: impl FnMut(&Program) -> Result<C>,
        mut live: impl FnMut(&mut C, &Program, &mut Dice) -> Result<()>,
        mut close: impl FnMut(C) -> Result<u64>,
    ) -> Result<u64> {
        let (mut kept, mut sum) = (None, 0);
        self.on_each(|program, round, dice| {
            let mut clinic = kept.take().map_or_else(|| open(program), Ok)?;
            live(&mut clinic, program, dice)?;
            match (round + 1).is_multiple_of(lives) || round + 1 == self.each() {
                true => sum += close(clinic)?,
                false => kept = Some(clinic),
            }
            Ok(())
        })?;
        Ok(sum)
    }

    fn count(&self, rounds: u64, mut play: impl FnMut(u64, &mut Dice) -> Result<()>) -> Result<()> {
        let mut dice = self.dice();
        (0..rounds).try_for_each(|round| play(round, &mut dice).when(format!("seed {}, round {round}", self.seed)))
    }

    /// Returns a run of the same rounds without a server of its own, for what uses all of them at once.
    #[cfg(feature = "postgres")]
    pub(crate) fn together(&self) -> Self {
        Self { programs: vec![("both", self.programs[0].1.clone())], ..self.clone() }
    }
}
