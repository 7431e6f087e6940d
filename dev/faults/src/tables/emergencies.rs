//! Operators' tasks in an emergency, as a table.

use care_faults::{Program, failure::Failure, files, operate, syscall};
use clap::{Args, ValueEnum};

use super::report::{Report, parts};

/// The parts to try.
#[derive(Debug, Args)]
pub(crate) struct Operate {
    /// Only these parts; all unless given.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// Patients in the databases from which persons are erased.
    #[arg(long, default_value_t = 40_000)]
    patients: u64,
}

/// One kind of task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Restores,
    Backups,
    Erasures,
    Imports,
    Rotations,
    Thefts,
    Travel,
    Disks,
    Descriptors,
    EachCall,
}

impl Part {
    /// Returns the default number of rounds, on both servers together.
    const fn rounds(self) -> u64 {
        match self {
            Self::Restores => 500,
            Self::Backups | Self::Imports => 100,
            Self::Erasures | Self::Thefts | Self::Rotations => 200,
            Self::Travel => 10,
            Self::Disks | Self::Descriptors | Self::EachCall => 1,
        }
    }
}

impl Operate {
    /// Runs the parts, and prints their rows.
    ///
    /// # Errors
    /// A part failed.
    pub(crate) fn run(&self, rounds: Option<u64>, seed: u64) -> Result<(), Failure> {
        let programs = [("Poem", Program::poem()?), ("Rocket", Program::rocket()?)];
        let mut report = Report::begin();
        for (part, name) in parts(&self.only) {
            let rounds = rounds.unwrap_or_else(|| part.rounds());
            let findings = match part {
                Part::Restores => operate::restores(rounds, seed, &programs),
                Part::Backups => operate::backups(rounds, seed, &programs),
                Part::Erasures => operate::erasures(rounds, self.patients, seed, &programs),
                Part::Imports => operate::imports(rounds, seed, &programs),
                Part::Rotations => operate::rotations(rounds, seed, &programs),
                Part::Thefts => operate::thefts(rounds, seed, &programs),
                Part::Travel => operate::travel(rounds, seed),
                Part::Disks if !files::can_mount() => Err(Failure::new("left out: nothing can be mounted here")),
                Part::Disks => operate::disks(),
                Part::Descriptors => operate::descriptors(&programs),
                Part::EachCall if !syscall::is_possible() => Err(Failure::new("left out: strace cannot trace here")),
                Part::EachCall => operate::each_call(1),
            };
            report.take(findings, &format!("operate --only {name} --rounds {rounds} --seed {seed}"), &name);
        }
        report.end()
    }
}
