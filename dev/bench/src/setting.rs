//! The command line: what is measured, where, and how thoroughly.

use std::{fs, path::PathBuf, time::Duration};

use clap::{
    Parser,
    builder::{PossibleValue, PossibleValuesParser},
};

use crate::{Failure, compare, fhir, find, import, scale, stock};

/// A measurement, which prints its tables.
type Measure = fn(&Setting) -> Result<(), Failure>;

/// The measurements: their names, what they measure, and how.
const PARTS: &[(&str, &str, Measure)] = &[
    ("reads", "Reads over HTTP, compared with hand-written servers", compare::reads),
    ("audit", "Audited reads, compared with the same reads without an audit", compare::audit),
    ("writes", "Durable writes over HTTP, compared with hand-written servers", compare::writes),
    ("start", "The time until a server answers, and its memory", compare::start),
    ("stock", "Tracked medicines, compared with untracked ones, and reports of a year", stock::measure),
    ("scale", "Reads with few records and with many: the cost should be the same", scale::measure),
    ("find", "Patients found by a text", find::measure),
    ("fhir", "Reads of FHIR over HTTP, compared with the same reads of the interface", fhir::measure),
    ("import", "Patients in and out", import::measure),
    #[cfg(feature = "postgres")]
    (POSTGRES, "The service on PostgreSQL, compared with one file", crate::postgres::measure),
];

/// The measurement that is not one of [`ALL`], because PostgreSQL must be installed.
const POSTGRES: &str = "postgres";
const ALL: &str = "all";

/// Measures the cost of the service, and prints it as Markdown tables.
#[derive(Debug, Parser)]
#[command(name = "care-bench", version)]
pub(crate) struct Setting {
    /// The measurement.
    #[arg(value_parser = parts())]
    part: String,
    /// The directory of databases, which are built once and kept.
    #[arg(long, value_name = "DIRECTORY", default_value = "target/bench")]
    pub(crate) directory: PathBuf,
    /// The numbers of patients of the databases, the smallest first.
    #[arg(long, value_name = "PATIENTS", value_delimiter = ',', default_values_t = [10_000, 1_000_000])]
    pub(crate) sizes: Vec<u64>,
    /// The number of rounds. The reported figures are medians over them.
    #[arg(long, default_value_t = 7)]
    pub(crate) rounds: usize,
    /// The seconds for which a server gets requests in each round.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub(crate) seconds: f64,
    /// Run everything within seconds. The figures are then meaningless.
    #[arg(long)]
    pub(crate) quick: bool,
}

fn parts() -> PossibleValuesParser {
    let all = PossibleValue::new(ALL).help("All of these but those on PostgreSQL");
    PARTS.iter().map(|(name, about, _)| PossibleValue::new(*name).help(*about)).chain([all]).into()
}

impl Setting {
    /// Returns how long a server gets requests in each round.
    pub(crate) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::from_secs(1))
    }

    /// Returns the largest of the sizes.
    pub(crate) fn largest(&self) -> Result<u64, Failure> {
        Ok(*self.sizes.last().ok_or("no size is given")?)
    }

    /// Runs the chosen measurements one after another.
    pub(crate) fn measure(mut self) -> Result<(), Failure> {
        if self.quick {
            self.sizes = vec![2000, 4000];
            self.rounds = 1;
            self.seconds = 0.05;
        }
        fs::create_dir_all(&self.directory)?;
        let is_chosen = |name| self.part == name || self.part == ALL && name != POSTGRES;
        PARTS.iter().filter(|(name, ..)| is_chosen(*name)).try_for_each(|(.., measure)| measure(&self))
    }
}
