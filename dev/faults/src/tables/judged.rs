//! The verdicts on histories, as a table.

use care_faults::{
    failure::Failure,
    finding::Finding,
    linear::{self, Tally},
};
use care_scratch_postgres::{Installation, installations};
use clap::{Args, ValueEnum};

use super::report::{Report, parts};

/// The places to judge.
#[derive(Debug, Args)]
pub(crate) struct Linear {
    /// Only these places; all unless given.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
}

/// A place where two servers share their records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    File,
    Kills,
    Promotions,
}

impl Part {
    const fn what(self) -> &'static str {
        match self {
            Self::File => "eight clients of two servers that share a file ask for the same three records",
            Self::Kills => "the same on PostgreSQL, all of whose processes are killed in each round",
            Self::Promotions => {
                "the same on a primary that is killed in each round, and its synchronous standby is promoted"
            }
        }
    }

    /// Returns the default number of rounds.
    const fn rounds(self) -> u64 {
        match self {
            Self::File => 1000,
            Self::Kills => 200,
            Self::Promotions => 100,
        }
    }

    fn judge(self, rounds: u64, seed: u64, newest: Option<&Installation>) -> Result<Tally, Failure> {
        let there = || newest.ok_or_else(|| Failure::new("left out: no initdb found"));
        match self {
            Self::File => linear::on_one_file(rounds, seed),
            Self::Kills => linear::through_kills(there()?, rounds, seed),
            Self::Promotions => linear::through_promotions(there()?, rounds, seed),
        }
    }
}

impl Linear {
    /// Plays the rounds, on the newest installed PostgreSQL where one is needed, and prints their rows.
    ///
    /// # Errors
    /// No order explains the answers of a history.
    pub(crate) fn run(&self, rounds: Option<u64>, seed: u64) -> Result<(), Failure> {
        let installed = installations().unwrap_or_default();
        let mut report = Report::begin();
        for (part, name) in parts(&self.only) {
            let rounds = rounds.unwrap_or_else(|| part.rounds());
            let findings = part.judge(rounds, seed, installed.last()).map(|Tally { histories, requests, open }| {
                let often =
                    format!("{rounds} rounds; {histories} histories of {requests} requests, {open} of them open");
                let found = "one order of all requests explains each history".to_owned();
                vec![Finding { what: part.what().to_owned(), often, found, missed: Vec::new() }]
            });
            report.take(findings, &format!("linear --only {name} --rounds {rounds} --seed {seed}"), &name);
        }
        report.end()
    }
}
