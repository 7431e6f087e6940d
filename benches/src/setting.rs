//! What all measurements are told.

use std::{fs, path::PathBuf, time::Duration};

use clap::Args;

use crate::{Failure, table::Report};

/// Where, and how thoroughly.
#[derive(Debug, Clone, Args)]
pub(crate) struct Setting {
    /// Where databases are kept, so that they are built once only.
    #[arg(long, value_name = "DIRECTORY", default_value = "target/bench")]
    pub(crate) directory: PathBuf,
    /// How many patients the databases hold, the smallest first.
    #[arg(long, value_name = "PATIENTS", value_delimiter = ',', default_values_t = [10_000, 1_000_000])]
    pub(crate) sizes: Vec<u64>,
    /// How often everything is measured; the medians are reported.
    #[arg(long, default_value_t = 7)]
    pub(crate) rounds: usize,
    /// How long a server is asked in each round.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub(crate) seconds: f64,
    /// Shows in seconds that everything runs; the figures mean nothing.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Writes the tables to this file too.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// A part of what can be measured.
type Measure = fn(&Setting, &mut Report) -> Result<(), Failure>;

impl Setting {
    /// How long a server is asked in each round.
    pub(crate) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::from_secs(1))
    }

    /// Runs these parts one after another, and writes down their tables.
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
