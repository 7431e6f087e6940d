//! Registering patients from a CSV file.

mod row;

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::Patient,
    operation::JournalOperation,
    service::registration,
    store::{Act, Decision, Seen, Transaction},
};
use indicatif::ProgressBar;

use super::{
    AdminError,
    database::{Database, upkeep},
    table::{Row, Table},
    terminal::{self, say},
};

/// The time after which a transaction ends, because the writes of others wait for it.
const TURN: Duration = Duration::from_millis(200);
/// Registrations that are handed to the store together.
const WINDOW: u64 = 1000;

pub(super) async fn import(database: &Database, file: &Path, all_or_nothing: bool) -> Result<(), AdminError> {
    let table = Table::open(file, Patient::FIELDS)?;
    let store = database.existing_or_new()?;
    let bar = terminal::bytes(table.length());
    let mut import = Import { table, read: 0, refused: 0, end: None, bar };
    while import.end.is_none() {
        let undone = Arc::new(Mutex::new(None));
        let left = Arc::clone(&undone);
        let work = move |transaction: &mut dyn Transaction| {
            let import = import.some(transaction, if all_or_nothing { Duration::MAX } else { TURN })?;
            match all_or_nothing && !import.is_good() {
                true => {
                    *left.lock().unwrap_or_else(PoisonError::into_inner) = Some(import);
                    // Any refusal rolls the transaction back; this one is not shown.
                    Err(Error::Invalid(Vec::new()))
                }
                false => Ok(import),
            }
        };
        let kept = upkeep(&*store)?.transaction(work).await;
        let undone = undone.lock().unwrap_or_else(PoisonError::into_inner).take();
        import = match (kept, undone) {
            (Ok(import), _) | (Err(_), Some(import)) => import,
            (Err(error), None) => return Err(failed(error)),
        };
    }
    import.close(all_or_nothing)
}

fn failed(error: Error) -> AdminError {
    match error {
        Error::Store(error) => error.into(),
        // Rows are refused one by one; only the store can refuse a whole transaction.
        _ => StoreError::from(StoreErrorKind::Broken).into(),
    }
}

/// A running import. It is moved to the thread that writes and back.
struct Import {
    table: Table,
    read: u64,
    refused: u64,
    /// The end of the rows, or the error that stopped the reading; `None` while there are more.
    end: Option<Result<(), AdminError>>,
    bar: ProgressBar,
}

impl Import {
    /// Returns whether all rows were read, and each is good.
    const fn is_good(&self) -> bool {
        matches!(self.end, Some(Ok(()))) && self.refused == 0
    }

    /// Registers the valid rows among the next ones, for about this time.
    fn some(mut self, transaction: &mut dyn Transaction, turn: Duration) -> Result<Self, StoreError> {
        let at = SystemTime::now().into();
        let act = Act { actor: "care-admin".into(), operation: JournalOperation::ImportPatients, at, until: None };
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

    /// Returns the registrations in the next rows with their line numbers. An invalid row becomes a registration that
    /// is refused, so that refusals are reported in the order of the file.
    fn window(&mut self) -> Vec<(u64, Decision)> {
        let mut window = Vec::new();
        for _ in 0..WINDOW {
            match self.table.next() {
                Ok(Some(Row { line, cells })) => {
                    let patient = cells.map_err(|fault| Error::field("row", fault));
                    window.push((
                        line,
                        match patient.and_then(|cells| row::patient(&cells)) {
                            Ok((id, details)) => registration(id, details),
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
        let Self { table, read: rows, refused, end, bar } = self;
        bar.finish_and_clear();
        end.unwrap_or(Ok(()))?;
        let kept = if all_or_nothing { "nothing was imported" } else { "the others were imported" };
        if refused > 0 {
            return Err(AdminError::Rows { refused, rows, kept });
        }
        match table.blank() {
            0 => say(format_args!("{rows} patients imported")),
            1 => say(format_args!("{rows} patients imported; 1 blank line left out")),
            blank => say(format_args!("{rows} patients imported; {blank} blank lines left out")),
        }
    }
}
