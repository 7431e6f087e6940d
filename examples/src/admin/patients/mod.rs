//! Registering patients from a CSV file.

mod columns;
mod rows;

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use care_core::{
    error::{Error, FieldError, StoreError, StoreErrorKind},
    service::registration,
    store::{Act, IMPORT_PATIENTS, Transaction},
};
use indicatif::ProgressBar;

use super::{
    AdminError,
    database::{Database, upkeep},
    progress,
};
use rows::{Row, Rows};

/// The number of registrations in one transaction.
const BATCH: u64 = 5000;

pub(super) async fn import(database: &Database, file: &Path, all_or_nothing: bool) -> Result<(), AdminError> {
    let (rows, size) = Rows::open(file)?;
    let store = database.existing_or_new()?;
    let mut import = Import { rows, read: 0, refused: 0, end: None, bar: progress::bytes(size) };
    while import.end.is_none() {
        let undone = Arc::new(Mutex::new(None));
        let left = Arc::clone(&undone);
        let work = move |transaction: &mut dyn Transaction| {
            let most = if all_or_nothing { u64::MAX } else { BATCH };
            let import = import.some(transaction, most)?;
            match all_or_nothing && !import.is_good() {
                true => {
                    *left.lock().unwrap_or_else(PoisonError::into_inner) = Some(import);
                    // Any refusal rolls back; this one goes no further.
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
        // Rows are refused one by one, and a transaction only by the store.
        _ => StoreError::from(StoreErrorKind::Broken).into(),
    }
}

/// A running import. It is moved to the thread that writes and back.
struct Import {
    rows: Rows,
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

    /// Registers the good ones of the next `most` rows.
    fn some(mut self, transaction: &mut dyn Transaction, most: u64) -> Result<Self, StoreError> {
        let at = SystemTime::now().into();
        let act = Act { actor: "care-admin".into(), operation: IMPORT_PATIENTS, at, until: None };
        for _ in 0..most {
            let Row { line, patient } = match self.rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => {
                    self.end = Some(Ok(()));
                    break;
                }
                Err(error) => {
                    self.end = Some(Err(error));
                    break;
                }
            };
            self.read += 1;
            self.bar.set_position(self.rows.bytes());
            let registered = patient.and_then(|(id, details)| transaction.decide(&act, &mut registration(id, details)));
            match registered {
                Ok(_) => {}
                Err(Error::Store(error)) => return Err(error),
                Err(Error::Invalid(faults)) => self.refuse(line, &faults),
                // Only the number of a registration can be refused here.
                Err(error) => {
                    self.bar.suspend(|| eprintln!("line {line}: patientId: {error}"));
                    self.refused += 1;
                }
            }
        }
        Ok(self)
    }

    fn refuse(&mut self, line: u64, faults: &[FieldError]) {
        self.refused += 1;
        self.bar.suspend(|| {
            for fault in faults {
                eprintln!("line {line}: {fault}");
            }
        });
    }

    fn close(self, all_or_nothing: bool) -> Result<(), AdminError> {
        let Self { read: rows, refused, end, bar, .. } = self;
        bar.finish_and_clear();
        end.unwrap_or(Ok(()))?;
        let kept = if all_or_nothing { "nothing was imported" } else { "the others were imported" };
        if refused > 0 {
            return Err(AdminError::Rows { refused, rows, kept });
        }
        println!("{rows} patients imported");
        Ok(())
    }
}
