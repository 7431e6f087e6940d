//! The command line.

use clap::{Parser, Subcommand};

use crate::{Failure, Setting, baseline::Serve, compare, fhir, find, import, scale, stock};

/// Measures the cost of the service, and prints it as Markdown tables.
#[derive(Debug, Parser)]
#[command(name = "care-bench", version)]
pub struct Options {
    #[command(subcommand)]
    part: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// Reads with few records and with many: the cost should be the same.
    Scale(Setting),
    /// The import of patients.
    Import(Setting),
    /// Patients found by a text.
    Find(Setting),
    /// Reads over HTTP, compared with hand-written servers.
    Reads(Setting),
    /// Reads of FHIR over HTTP, compared with the same reads of the interface.
    Fhir(Setting),
    /// Audited reads, compared with the same reads without an audit.
    Audit(Setting),
    /// Durable writes over HTTP, compared with hand-written servers.
    Writes(Setting),
    /// The time until a server answers, and its memory.
    Start(Setting),
    /// Tracked medicines, compared with untracked ones, and advice on restocking.
    Stock(Setting),
    /// The service on PostgreSQL, compared with one file.
    #[cfg(feature = "postgres")]
    Postgres(Setting),
    /// All of these but those on PostgreSQL.
    All(Setting),
    #[command(hide = true)]
    Serve(Serve),
}

impl Options {
    /// Runs the chosen measurements.
    ///
    /// # Errors
    /// When a measurement fails.
    pub fn run(self) -> Result<(), Failure> {
        match self.part {
            Part::Scale(setting) => setting.measure(&[scale::measure, import::measure]),
            Part::Import(setting) => setting.measure(&[import::measure]),
            Part::Find(setting) => setting.measure(&[find::measure]),
            Part::Reads(setting) => setting.measure(&[compare::reads]),
            Part::Fhir(setting) => setting.measure(&[fhir::measure]),
            Part::Audit(setting) => setting.measure(&[compare::audit]),
            Part::Writes(setting) => setting.measure(&[compare::writes]),
            Part::Start(setting) => setting.measure(&[compare::start]),
            Part::Stock(setting) => setting.measure(&[stock::measure]),
            #[cfg(feature = "postgres")]
            Part::Postgres(setting) => setting.measure(&[crate::postgres::measure]),
            Part::All(setting) => setting.measure(&[
                compare::reads,
                compare::audit,
                compare::writes,
                compare::start,
                stock::measure,
                scale::measure,
                find::measure,
                fhir::measure,
                import::measure,
            ]),
            Part::Serve(serve) => serve.run(),
        }
    }
}
