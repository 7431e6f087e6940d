//! The options of all measurements.

use std::{fs, path::PathBuf, time::Duration};

use clap::Args;

use super::table::Report;
use crate::Failure;

/// The place and the thoroughness of measurements.
#[derive(Debug, Clone, Args)]
pub(crate) struct Setting {
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
    /// A file for the tables, beside the standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// A measurement.
type Measure = fn(&Setting, &mut Report) -> Result<(), Failure>;

impl Setting {
    /// Returns how long a server gets requests in each round.
    pub(crate) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::from_secs(1))
    }

    /// Runs these measurements one after another, and writes their tables.
    pub(crate) fn measure(mut self, parts: &[Measure]) -> Result<(), Failure> {
        if self.quick {
            self.sizes = vec![2000, 4000];
            self.rounds = 1;
            self.seconds = 0.05;
        }
        fs::create_dir_all(&self.directory)?;
        let mut report = Report::default();
        for part in parts {
            part(&self, &mut report)?;
        }
        if let Some(file) = &self.out {
            fs::write(file, report.text())?;
        }
        Ok(())
    }
}
