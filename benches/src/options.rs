//! The command line.

use std::{fs, path::PathBuf};

use clap::{Args, Parser, Subcommand};

use crate::{Failure, import, scale, table::Report};

/// Measures what the service costs, and prints it as Markdown tables.
#[derive(Debug, Parser)]
#[command(name = "care-bench", version)]
pub struct Options {
    #[command(subcommand)]
    part: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// What reading costs with few records and with many: it should be the same.
    Scale(Setting),
    /// How fast patients are imported, beside plain inserts of the same rows.
    Import(Setting),
}

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
    #[arg(long, default_value_t = 9)]
    pub(crate) rounds: usize,
    /// Shows in seconds that everything runs; the figures mean nothing.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Writes the tables to this file too.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

impl Options {
    /// Measures what was asked for.
    ///
    /// # Errors
    /// What came in the way.
    pub fn run(self) -> Result<(), Failure> {
        match self.part {
            Part::Scale(setting) => setting.measure(&[scale::measure, import::measure]),
            Part::Import(setting) => setting.measure(&[import::measure]),
        }
    }
}

type Measure = fn(&Setting, &mut Report) -> Result<(), Failure>;

impl Setting {
    fn measure(mut self, parts: &[Measure]) -> Result<(), Failure> {
        if self.quick {
            self.sizes = vec![2000, 4000];
            self.rounds = 1;
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
