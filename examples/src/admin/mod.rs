//! `care-admin`: looking after a database from the command line, also while a server is running on it.

mod backup;
mod database;
mod erase;
mod error;
mod export;
mod import;
mod keys;
mod patients;
mod progress;
mod stats;
mod verify;

use std::path::PathBuf;

use care_core::{rest::Api, service::CareService, store::MemoryStore};
use clap::{Parser, Subcommand};
use futures_executor::block_on;

pub use error::AdminError;

/// Looks after a database of the Patient Care Service. It may run beside a server.
#[derive(Debug, Parser)]
#[command(name = "care-admin", version)]
pub struct Admin {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Prove that nothing in a database contradicts anything else; the exit code is 0 only then.
    ///
    /// Looks over every row, replays the journal, compares the outcome with every record, and holds the rules of the
    /// domain against every entry. The first contradiction is named on standard error.
    Verify {
        /// The database.
        database: PathBuf,
    },
    /// Write the journal as NDJSON, one entry a line.
    ///
    /// Imported into an empty database it makes the same database: every record, every version, the whole journal.
    Export {
        /// The database.
        database: PathBuf,
        /// Where to write it; standard output unless given.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Take in a journal that was exported, exactly once.
    ///
    /// Whatever of it the database has already is compared and skipped, so an import that was interrupted is simply run
    /// again. The database is made if there is none.
    Import {
        /// The database.
        database: PathBuf,
        /// Where to read it; standard input unless given.
        #[arg(long = "in", value_name = "FILE")]
        input: Option<PathBuf>,
    },
    /// Register patients from a CSV file.
    ///
    /// The first line names the columns as the fields of a patient: name, phone, insurance, patientId, age, address,
    /// gender, weight, email, location, lastvisit. An empty cell is an absent field, and a patient without a patientId
    /// is given one. Each bad row is reported on standard error with its line and field. The exit code is 0 when there
    /// is none.
    ImportPatients {
        /// The database.
        database: PathBuf,
        /// The CSV file.
        file: PathBuf,
        /// Keep the good rows only if all are good. Nobody else can write until all are in.
        #[arg(long)]
        all_or_nothing: bool,
    },
    /// Count the records of each kind and the entries of the journal, and sum up the invoices by currency.
    Stats {
        /// The database.
        database: PathBuf,
    },
    /// Copy a database to a file, also while a server is writing to it.
    ///
    /// The copy is proven sound, as verify does it, before it gets its name. It is one file, readable by its owner
    /// alone.
    Backup(backup::Copy),
    /// Put a backup in the place of a database that no server is running on.
    ///
    /// The backup is copied and proven sound before it takes the place, whole or not at all.
    Restore(backup::Copy),
    /// Erase a person for good, out of the past too; this cannot be taken back.
    ///
    /// The patient is voided, and everything that was said of the person is taken out of every record and journal entry.
    /// Paid invoices stay without the person. Then the file is written anew and its log is emptied; a server that is
    /// running on it answers writes that wait for longer than two seconds with 503 meanwhile. Cut off, it is run again.
    ErasePatient(erase::Erase),
    /// Issue keys for clients, list, rotate and revoke them. A running server follows within a second.
    Keys(keys::Keys),
    /// Print the OpenAPI document of the interface, as a server with the default settings serves it.
    Openapi,
}

impl Admin {
    /// Does what was asked. What comes of it goes to standard output, reports and progress go to standard error.
    ///
    /// # Errors
    /// Why it was not done, or not wholly.
    pub fn run(self) -> Result<(), AdminError> {
        match self.task {
            Task::Verify { database } => block_on(verify::verify(&database)),
            Task::Export { database, out } => block_on(export::export(&database, out.as_deref())),
            Task::Import { database, input } => block_on(import::import(&database, input.as_deref())),
            Task::ImportPatients { database, file, all_or_nothing } => {
                block_on(patients::import(&database, &file, all_or_nothing))
            }
            Task::Stats { database } => block_on(stats::stats(&database)),
            Task::Backup(copy) => block_on(backup::backup(copy)),
            Task::Restore(copy) => block_on(backup::restore(copy)),
            Task::ErasePatient(whom) => block_on(erase::erase(whom)),
            Task::Keys(keys) => block_on(keys::run(keys)),
            Task::Openapi => {
                let api = Api::new(CareService::new(MemoryStore::new()));
                println!("{}", api.openapi());
                Ok(())
            }
        }
    }
}
