//! `care-admin`: maintaining a database from the command line, even while a server is running on it.

mod backup;
mod database;
mod erase;
mod error;
mod export;
mod import;
mod keys;
mod lines;
mod medicines;
mod patients;
mod ready;
mod reports;
mod table;
mod terminal;
mod turns;
mod verify;

use std::net::SocketAddr;

use care_core::{
    Api, CareService, MemoryStore,
    model::{Date, PatientId},
    store::Head,
};
use clap::{Parser, Subcommand};
use futures_executor::block_on;

use database::Database;
pub use error::AdminError;

use crate::{InputFile, VERSION};

/// Maintain a database of the Patient Care Service, even while a server is running on it.
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
    /// Check that the records and the journal agree. The exit code is 0 only if they do.
    ///
    /// Checks every row, follows the chain of the journal, replays the journal, compares the result with every record,
    /// applies the rules of the domain to every entry, and compares the keys with what the journal says of them. The
    /// findings are printed on standard error, three things apart: the first entry that breaks the chain, the first
    /// value that was changed, the first record, key or entry that contradicts the others.
    Verify {
        /// A head that was printed earlier and kept elsewhere, as the task "head" prints it: prove that nothing up to
        /// it was changed or cut off.
        #[arg(long, value_name = "SEQ:LINK")]
        from_head: Option<Head>,
        /// Check this backup instead of the database, where it is. Nothing beside it is read, and a log or a journal
        /// beside it is refused.
        #[arg(long, value_name = "FILE")]
        backup: Option<InputFile>,
    },
    /// Print the head of the journal, SEQ:LINK: the number of its last entry, and the link of the chain there.
    ///
    /// Keep it out of reach of those who can write to the database: on paper, or in another clinic. Then "verify
    /// --from-head" proves later that nothing up to it was changed.
    Head,
    /// Write the journal as NDJSON, one entry a line.
    ///
    /// Importing it into an empty database recreates the same database: every record, every version, the whole journal.
    Export(export::Output),
    /// Import an exported journal, exactly once.
    ///
    /// Entries that the database already has are compared and skipped, so an interrupted import can be repeated. The
    /// database is created if it does not exist. Every line is read before one is added: one that is missing, repeated
    /// or out of order, or does not follow in the chain, is named, and so is the line of a value that the chain does
    /// not commit to and no erasure left; nothing is imported then. Of a line that is no entry at all, such as the last
    /// one of a file that was cut off, those before it are imported.
    Import {
        /// The file to read; standard input unless given.
        #[arg(long = "in", value_name = "FILE")]
        input: Option<InputFile>,
    },
    /// Register patients from a CSV file.
    ///
    /// The first line names the columns after the fields of a patient, such as patientId, name and phone, in any case.
    /// It also decides whether commas, semicolons or tabs separate the cells. A blank cell means that the field is
    /// absent, and a row of blank cells is a blank line. A patient without a patientId is assigned one that no row has:
    /// the file is read twice, so it cannot be a pipe. Each invalid row is reported on standard error with its line and
    /// field, and the summary names the lines of persons who stand in the table twice. The exit code is 0 only if every
    /// row is valid.
    ImportPatients(turns::Options),
    /// Add medicines to the inventory from a CSV file, with their stock and its lots.
    ///
    /// The first line names the columns, as for "import-patients": "medicine" and the other fields of an item, the
    /// settings of a stock, such as "unit" and "packUnits", and "lot", "expires" and "units". A medicine is tracked if
    /// its first row has a unit; its further rows are further lots. Each medicine is added completely or not at all,
    /// and one that is there already is refused unless the rows say what is stored, so an interrupted import can be
    /// repeated before the first sale. The exit code is 0 only if every row is valid.
    ImportMedicines(turns::Options),
    /// Write the inventory and its stock as the CSV file that "import-medicines" reads.
    ///
    /// A cell that a spreadsheet would take for a formula begins with an apostrophe, which the import takes away again.
    /// An empty text is written as an absent one.
    ExportMedicines(export::Output),
    /// Count the records of each kind and the entries of the journal, and add up invoices by currency and stock by
    /// unit.
    Stats,
    /// Print the order list: the medicines to order according to their plans, the most urgent first.
    Restock {
        /// Print the list as CSV, with each medicine's levels and stock position.
        #[arg(long)]
        csv: bool,
    },
    /// Print the ledger of money, one line a receipt: payments, refunds as negative amounts, and corrections of a
    /// method.
    Takings {
        /// The first day, DD/MM/YYYY; all days unless given.
        #[arg(long, value_name = "DAY")]
        from: Option<Date>,
        /// The last day, DD/MM/YYYY; all days unless given.
        #[arg(long, value_name = "DAY")]
        to: Option<Date>,
        /// Print the receipts as CSV.
        #[arg(long)]
        csv: bool,
    },
    /// Copy a database to a file, even while a server is writing to it.
    ///
    /// The copy is checked, as verify does, before it gets its name. It is a single file that only its owner can read.
    Backup(backup::Backup),
    /// Replace a database with a backup. No server may be running on the database.
    ///
    /// The backup is copied and checked before it takes the database's place. An interrupted restore changes nothing.
    /// The keys that are valid afterwards are printed by name. A log or a journal beside the backup is refused.
    Restore(backup::Restore),
    /// Erase a person for good, also from the past. This cannot be undone.
    ///
    /// The patient is voided, and every statement about the person is removed from every record and journal entry. Paid
    /// invoices stay, without the person. Then the file is rewritten and its log is emptied; meanwhile, a server that
    /// runs on the file answers 503 to writes that wait for more than two seconds. After an interruption, run the task
    /// again.
    ErasePatient {
        /// The patient's number. The patient may already be voided.
        #[arg(value_name = "ID")]
        patient: PatientId,
    },
    /// Issue, list, rotate and revoke keys for clients. A running server follows within a second.
    Keys {
        #[command(subcommand)]
        task: keys::Task,
    },
    /// Ask whether a write would succeed now. The exit code is 0 only if it would.
    ///
    /// With --metrics, asks the server at that address. Without it, opens the database itself and asks that, even
    /// beside a running server.
    Ready {
        /// The metrics address of a server, whose /ready is asked.
        #[arg(long, env = "CARE_METRICS", value_name = "ADDRESS:PORT")]
        metrics: Option<SocketAddr>,
    },
    /// Print the OpenAPI document of the interface, as a server with default settings serves it.
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
            Task::Verify { from_head, backup } => block_on(verify::verify(&database, backup.as_ref(), from_head)),
            Task::Head => block_on(verify::head(&database)),
            Task::Export(out) => block_on(export::export(&database, &out)),
            Task::Import { input } => block_on(import::import(&database, input.as_ref())),
            Task::ImportPatients(options) => block_on(patients::import(&database, &options)),
            Task::ImportMedicines(options) => block_on(medicines::import(&database, &options)),
            Task::ExportMedicines(out) => block_on(medicines::export(&database, &out)),
            Task::Takings { from, to, csv } => block_on(reports::takings::takings(&database, csv, (from, to))),
            Task::Stats => block_on(reports::stats::stats(&database)),
            Task::Restock { csv } => block_on(reports::restock::restock(&database, csv)),
            Task::Backup(copy) => block_on(backup::backup(&database, &copy)),
            Task::Restore(copy) => block_on(backup::restore(&database, &copy)),
            Task::ErasePatient { patient } => block_on(erase::erase(&database, patient)),
            Task::Keys { task } => block_on(keys::run(&database, task)),
            Task::Ready { metrics } => ready::ready(&database, metrics),
            Task::Openapi => {
                let api = Api::new(CareService::new(MemoryStore::new()));
                terminal::say(api.openapi())
            }
        }
    }
}
