//! `care-admin`: maintaining a database from the command line, also beside a running server.

mod backup;
mod database;
mod erase;
mod error;
mod export;
mod import;
mod keys;
mod patients;
mod progress;
mod ready;
mod restock;
mod stats;
mod verify;

use std::{net::SocketAddr, path::PathBuf};

use care_core::{
    Api, CareService, MemoryStore,
    model::{PatientId, UtcOffset},
};
use clap::{Parser, Subcommand};
use futures_executor::block_on;

use database::Database;
pub use error::AdminError;

use crate::{VERSION, options::utc_offset};

/// Maintain a database of the Patient Care Service, also beside a running server.
#[derive(Debug, Parser)]
#[command(name = "care-admin", version = VERSION)]
pub struct Admin {
    #[command(flatten)]
    database: Database,
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Prove that a database does not contradict itself. The exit code is 0 only then.
    ///
    /// Checks every row, replays the journal, compares the result with every record, and applies the rules of the
    /// domain to every entry. The first contradiction is printed on standard error.
    Verify,
    /// Write the journal as NDJSON, one entry a line.
    ///
    /// Imported into an empty database it makes the same database: every record, every version, the whole journal.
    Export {
        /// The file to write; the standard output unless given.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Import an exported journal, exactly once.
    ///
    /// Entries that the database has already are compared and skipped, so an interrupted import can be run again. The
    /// database is created when it does not exist.
    Import {
        /// The file to read; the standard input unless given.
        #[arg(long = "in", value_name = "FILE")]
        input: Option<PathBuf>,
    },
    /// Register patients from a CSV file.
    ///
    /// The first line names the columns as the fields of a patient, such as patientId, name and phone. An empty cell
    /// is an absent field, and a patient without a patientId is given one. Each faulty row is reported on standard
    /// error with its line and field. The exit code is 0 when no row is faulty.
    ImportPatients {
        /// The CSV file.
        file: PathBuf,
        /// Keep the good rows only if all rows are good. Other processes cannot write until the import ends.
        #[arg(long)]
        all_or_nothing: bool,
    },
    /// Count the records of each kind and the entries of the journal, and sum up the invoices by currency and the stock
    /// by unit.
    Stats,
    /// Print the order list: the medicines to order by their plans, the most urgent first.
    Restock {
        /// Print the list as a CSV file, with the levels and the position of each medicine.
        #[arg(long)]
        csv: bool,
        /// Difference of the facility's clocks from UTC, which decides on which day "today" is.
        #[arg(long, value_name = "MINUTES", value_parser = utc_offset, default_value = "0", allow_negative_numbers = true)]
        utc_offset: UtcOffset,
    },
    /// Copy a database to a file, also while a server is writing to it.
    ///
    /// The copy is proven sound, as verify does it, before it gets its name. It is a single file, readable only by its
    /// owner.
    Backup(backup::Copy),
    /// Put a backup in the place of a database on which no server is running.
    ///
    /// The backup is copied and proven sound before it takes the place. An interrupted restore changes nothing.
    Restore(backup::Copy),
    /// Erase a person for good, also from the past. This cannot be undone.
    ///
    /// The patient is voided, and every statement about the person is removed from every record and journal entry. Paid
    /// invoices stay without the person. Then the file is written anew and its log is emptied; meanwhile a server that
    /// runs on the file answers 503 to writes that wait for longer than two seconds. After an interruption, run it
    /// again.
    ErasePatient {
        /// The patient's number. The patient may be voided already.
        #[arg(value_name = "ID")]
        patient: PatientId,
    },
    /// Issue, list, rotate and revoke keys for clients. A running server follows within a second.
    Keys {
        #[command(subcommand)]
        task: keys::Task,
    },
    /// Ask whether a write would be done now. The exit code is 0 only then.
    ///
    /// A server is asked at the address of its --metrics. Without that, the database itself is opened and asked, also
    /// beside a running server.
    Ready {
        /// The address of a server's --metrics, at which its /ready is asked.
        #[arg(long, env = "CARE_METRICS", value_name = "ADDRESS:PORT")]
        metrics: Option<SocketAddr>,
    },
    /// Print the OpenAPI document of the interface, as a server with the default settings serves it.
    Openapi,
}

impl Admin {
    /// Runs the task. Results go to standard output, reports and progress to standard error.
    ///
    /// # Errors
    /// When the task was not done, or not completely.
    pub fn run(self) -> Result<(), AdminError> {
        let Self { database, task } = self;
        match task {
            Task::Verify => block_on(verify::verify(&database)),
            Task::Export { out } => block_on(export::export(&database, out.as_deref())),
            Task::Import { input } => block_on(import::import(&database, input.as_deref())),
            Task::ImportPatients { file, all_or_nothing } => {
                block_on(patients::import(&database, &file, all_or_nothing))
            }
            Task::Stats => block_on(stats::stats(&database)),
            Task::Restock { csv, utc_offset } => block_on(restock::restock(&database, csv, utc_offset)),
            Task::Backup(copy) => block_on(backup::backup(&database, copy)),
            Task::Restore(copy) => block_on(backup::restore(&database, copy)),
            Task::ErasePatient { patient } => block_on(erase::erase(&database, patient)),
            Task::Keys { task } => block_on(keys::run(&database, task)),
            Task::Ready { metrics } => ready::ready(&database, metrics),
            Task::Openapi => {
                let api = Api::new(CareService::new(MemoryStore::new()));
                println!("{}", api.openapi());
                Ok(())
            }
        }
    }
}
