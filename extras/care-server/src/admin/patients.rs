//! Registering patients from a CSV file.

use std::time::{Duration, Instant, SystemTime};

use care_core::{
    error::{Error, StoreError},
    model::{Fill as _, Patient, PatientDetails, PatientId},
    operation::JournalOperation,
    service::CareService,
    store::{Act, Decision, Seen, Transaction},
};
use indicatif::ProgressBar;

use super::{
    AdminError,
    database::Database,
    table::{Row, Table, Values},
    terminal::{self, say},
    turns::{Import, Options, run},
};

/// Registrations that are handed to the store together.
const WINDOW: u64 = 1000;

pub(super) async fn import(database: &Database, options: &Options) -> Result<(), AdminError> {
    let table = Table::open(&options.file, Patient::FIELDS)?;
    let store = database.existing_or_new()?;
    let bar = terminal::bytes(table.length());
    let import = Patients { table, care: options.care(&store)?, read: 0, refused: 0, end: None, bar };
    run(&*store, import, options.all_or_nothing).await?.close(options.all_or_nothing)
}

/// Returns the patient in a row's cells, or all faults of the row.
fn patient(cells: &[(&'static str, &[u8])]) -> Result<(Option<PatientId>, PatientDetails), Error> {
    let mut values = Values::of(cells);
    let (id, details) = (values.value("patientId"), PatientDetails::filled(&mut values));
    values.verdict().map(|()| (id, details))
}

/// A running import.
struct Patients {
    table: Table,
    care: CareService,
    read: u64,
    refused: u64,
    /// The end of the rows, or the error that stopped the reading; `None` while there are more.
    end: Option<Result<(), AdminError>>,
    bar: ProgressBar,
}

impl Import for Patients {
    fn is_over(&self) -> bool {
        self.end.is_some()
    }

    fn is_good(&self) -> bool {
        matches!(self.end, Some(Ok(()))) && self.refused == 0
    }

    fn some(mut self, transaction: &mut dyn Transaction, turn: Duration) -> Result<Self, StoreError> {
        let at = SystemTime::now().into();
        let act = Act::new("care-admin", JournalOperation::ImportPatients, at);
        let since = Instant::now();
        while self.end.is_none() && since.elapsed() < turn {
            let (lines, mut decisions): (Vec<_>, Vec<_>) = self.window().into_iter().unzip();
            let decided = transaction.decide_each(&act, &mut decisions)?;
            for (line, refusal) in lines.into_iter().zip(decided).filter_map(|(line, made)| Some((line, made.err()?))) {
                self.refuse(line, refusal);
            }
        }
        Ok(self)
    }
}

impl Patients {
    /// Returns the registrations in the next rows with their line numbers. An invalid row becomes a registration that
    /// is refused, so that refusals are reported in the order of the file.
    fn window(&mut self) -> Vec<(u64, Decision)> {
        let mut window = Vec::new();
        for _ in 0..WINDOW {
            match self.table.next() {
                Ok(Some(Row { line, cells })) => {
                    let cells = cells.map_err(|fault| Error::field("row", fault));
                    window.push((
                        line,
                        match cells.and_then(|cells| patient(&cells)) {
                            Ok((id, details)) => self.care.registration(id, details),
                            Err(refusal) => Box::new(move |_: &Seen| Err(refusal.clone().into())),
                        },
                    ));
                }
                Ok(None) => {
                    self.end = Some(Ok(()));
                    break;
                }
                Err(error) => {
                    self.end = Some(Err(error));
                    break;
                }
            }
            self.read += 1;
        }
        self.bar.set_position(self.table.position());
        window
    }

    fn refuse(&mut self, line: u64, refusal: Error) {
        self.refused += 1;
        self.bar.suspend(|| match refusal {
            Error::Invalid(faults) => faults.iter().for_each(|fault| eprintln!("line {line}: {fault}")),
            // The number is the only part of a registration that can be refused here.
            error => eprintln!("line {line}: patientId: {error}"),
        });
    }

    fn close(self, all_or_nothing: bool) -> Result<(), AdminError> {
        let Self { table, care: _, read: rows, refused, end, bar } = self;
        bar.finish_and_clear();
        end.unwrap_or(Ok(()))?;
        let kept = if all_or_nothing { "nothing was imported" } else { "the others were imported" };
        if refused > 0 {
            return Err(AdminError::Rows { refused, rows, kept });
        }
        say(format_args!("{rows} patients imported{}", table.left_out()))
    }
}
