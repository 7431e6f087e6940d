//! The command line.

use std::{fs, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand};

use crate::{Failure, baseline::Serve, compare, import, scale, table::Report};

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
    /// Reads over HTTP, beside hand-written servers.
    Reads(Setting),
    /// Reads over HTTP with few clients and with many.
    Clients(Setting),
    /// Reads that are written into the journal, beside the same without.
    Audit(Setting),
    /// Durable writes over HTTP, beside hand-written servers.
    Writes(Setting),
    /// How soon a server answers, and how much memory it takes.
    Start(Setting),
    /// What a request costs without its socket.
    Inside(Setting),
    /// All of these.
    All(Setting),
    #[command(hide = true)]
    Serve(Serve),
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

impl Options {
    /// Measures what was asked for.
    ///
    /// # Errors
    /// What came in the way.
    pub fn run(self) -> Result<(), Failure> {
        match self.part {
            Part::Scale(setting) => setting.measure(&[scale::measure, import::measure]),
            Part::Import(setting) => setting.measure(&[import::measure]),
            Part::Reads(setting) => setting.measure(&[compare::reads]),
            Part::Clients(setting) => setting.measure(&[compare::clients]),
            Part::Audit(setting) => setting.measure(&[compare::audit]),
            Part::Writes(setting) => setting.measure(&[compare::writes]),
            Part::Start(setting) => setting.measure(&[compare::start]),
            Part::Inside(setting) => setting.measure(&[compare::inside]),
            Part::All(setting) => setting.measure(&[
                compare::reads,
                compare::clients,
                compare::audit,
                compare::writes,
                compare::start,
                compare::inside,
                scale::measure,
                import::measure,
            ]),
            Part::Serve(serve) => serve.run(),
        }
    }
}

type Measure = fn(&Setting, &mut Report) -> Result<(), Failure>;

impl Setting {
    /// How long a server is asked in each round.
    pub(crate) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::from_secs(1))
    }

    fn measure(mut self, parts: &[Measure]) -> Result<(), Failure> {
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
