//! PostgreSQL failures, as a table.

use care_faults::{
    Program,
    abuse::{BARS, Sizes},
    failure::Failure,
    pg,
};
use clap::{Args, ValueEnum};

use super::report::{Report, parts};

/// The parts to try.
#[derive(Debug, Args)]
pub(crate) struct Postgres {
    /// Only these parts; all unless given.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
}

/// One kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Kill,
    Promote,
    PromoteAsync,
    Silent,
    Cut,
    Sqlstates,
    Cancelled,
    OldPrimary,
    Fairness,
}

impl Part {
    /// Returns the default number of rounds.
    const fn rounds(self) -> u64 {
        match self {
            Self::Kill => 200,
            Self::Promote => 100,
            Self::PromoteAsync | Self::OldPrimary => 10,
            Self::Silent => 12,
            Self::Cancelled => 30,
            Self::Cut => 1000,
            Self::Fairness => 1,
            // There are fewer cases than this.
            Self::Sqlstates => 100_000,
        }
    }
}

impl Postgres {
    /// Runs the parts, and prints their rows.
    ///
    /// # Errors
    /// A part failed.
    pub(crate) fn run(&self, rounds: Option<u64>, seed: u64) -> Result<(), Failure> {
        let installation = pg::installation()?;
        let programs = [("Poem", Program::poem()?), ("Rocket", Program::rocket()?)];
        eprintln!("care-faults: on {installation}");
        let mut report = Report::begin().built(" --features postgres");
        for (part, name) in parts(&self.only) {
            let rounds = rounds.unwrap_or_else(|| part.rounds());
            let findings = match part {
                Part::Fairness => pg::fairness(&installation, &Sizes::FULL, &BARS, &programs),
                Part::Sqlstates => one(pg::sqlstates(&installation, rounds, seed)),
                Part::Kill => one(pg::kill(&installation, rounds, seed, &programs)),
                Part::Promote => one(pg::promote(&installation, rounds, seed, &programs)),
                Part::PromoteAsync => one(pg::promote_async(&installation, rounds, seed, &programs)),
                Part::Silent => one(pg::silent(&installation, rounds, seed, &programs)),
                Part::Cut => one(pg::cut(&installation, rounds, seed)),
                Part::Cancelled => one(pg::cancelled(&installation, rounds, seed)),
                Part::OldPrimary => one(pg::old_primary(&installation, rounds, seed)),
            };
            let command = format!("pg --only {name} --rounds {rounds} --seed {seed}");
            report.take(findings, &command, &name);
        }
        report.end()
    }
}

/// Returns a finding as those of a part.
fn one(finding: Result<pg::Finding, Failure>) -> Result<Vec<pg::Finding>, Failure> {
    finding.map(|finding| vec![finding])
}
