//! The results of abuse, as a table.

use std::time::Duration;

use care_faults::{
    Program,
    abuse::{self, BARS, Sizes},
    failure::Failure,
};
use clap::{Args, ValueEnum};

use super::report::{Report, parts};

/// The parts to try, and the sizes of their data.
#[derive(Debug, Args)]
pub(crate) struct Abuse {
    /// Only these parts; all unless given.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// Visits and diseases of one patient.
    #[arg(long, default_value_t = Sizes::FULL.visits)]
    visits: u64,
    /// Prescriptions of one patient.
    #[arg(long, default_value_t = Sizes::FULL.prescriptions)]
    prescriptions: u64,
    /// Journal entries of one patient.
    #[arg(long, default_value_t = Sizes::FULL.entries)]
    entries: u64,
    /// Prescriptions of one consultation.
    #[arg(long, default_value_t = Sizes::FULL.at_once)]
    at_once: u64,
    /// Other patients, all of maximum size.
    #[arg(long, default_value_t = Sizes::FULL.patients)]
    patients: u64,
    /// Visits of the patient that goes through the whole flow.
    #[arg(long, default_value_t = Sizes::FULL.flows)]
    flows: u64,
    /// Medicine-days with prescriptions.
    #[arg(long, default_value_t = Sizes::FULL.medicine_days)]
    medicine_days: u64,
    /// Simultaneous connections.
    #[arg(long, default_value_t = Sizes::FULL.connections)]
    connections: usize,
    /// Simultaneous polls.
    #[arg(long, default_value_t = Sizes::FULL.polls)]
    polls: usize,
    /// The time for which two servers race, in seconds.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
}

/// A part of the abuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Requests,
    Growth,
    Stored,
    Reports,
    Crowds,
    Bursts,
    Polls,
    Planted,
    Stalled,
    Shared,
    Clocks,
    Throttle,
    Runaway,
    Readers,
    Pages,
    Receivers,
    Fairness,
}

impl Abuse {
    /// Runs the parts, and prints a row for each test.
    pub(crate) fn run(&self, seed: u64) -> Result<(), Failure> {
        let programs = [("Poem", Program::poem()?), ("Rocket", Program::rocket()?)];
        let sizes = Sizes {
            visits: self.visits,
            prescriptions: self.prescriptions,
            entries: self.entries,
            at_once: self.at_once,
            patients: self.patients,
            flows: self.flows,
            medicine_days: self.medicine_days,
            connections: self.connections,
            polls: self.polls,
            part: 1,
        };
        let mut report = Report::begin();
        for (part, name) in parts(&self.only) {
            let findings = match part {
                Part::Requests => abuse::requests(&sizes, &BARS, &programs),
                Part::Growth => abuse::growth(&sizes, &BARS, &programs),
                Part::Stored => abuse::stored(&sizes, &BARS),
                Part::Reports => abuse::reports(&sizes, &BARS, &programs),
                Part::Crowds => abuse::crowds(&sizes, &BARS, &programs),
                Part::Bursts => abuse::bursts(&sizes, &BARS, &programs),
                Part::Polls => abuse::polls(&sizes, &BARS, &programs),
                Part::Planted => abuse::planted(&programs),
                Part::Stalled => abuse::stalled(&sizes, &BARS, &programs),
                Part::Shared => abuse::shared(Duration::from_secs(self.seconds), seed, &BARS, &programs),
                Part::Clocks => abuse::clocks(&BARS, &programs),
                Part::Throttle => abuse::throttle(&sizes, &BARS, &programs),
                Part::Runaway => abuse::runaway(&sizes, &BARS, &programs),
                Part::Readers => abuse::readers(&sizes, &BARS, &programs),
                Part::Pages => abuse::pages(&sizes, &BARS, &programs),
                Part::Receivers => abuse::receivers(&sizes, &BARS),
                Part::Fairness => abuse::fairness(&sizes, &BARS, &programs),
            };
            report.take(findings, &format!("abuse --only {name}"), &name);
        }
        report.end()
    }
}
