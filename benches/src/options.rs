//! The command line.

use clap::{Parser, Subcommand};

use crate::{Failure, baseline::Serve, compare, import, scale, setting::Setting};

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
