//! Registering patients from a CSV file.

mod columns;
mod rows;

use std::{path::Path, time::SystemTime};

use care_core::{
    error::{Error, FieldError, StoreError},
    service::registration,
    store::{Act, IMPORT_PATIENTS},
};
use care_store_sqlite::Bulk;
use indicatif::ProgressBar;

use super::{AdminError, database::Database, progress};
use rows::{Row, Rows};

/// The number of registrations in one transaction.
const BATCH: u64 = 5000;

pub(super) async fn import(database: &Database, file: &Path, all_or_nothing: bool) -> Result<(), AdminError> {
    let (rows, size) = Rows::open(file)?;
    let store = database.existing_or_new()?;
    let mut import = Import { rows, read: 0, refused: 0, end: None, bar: progress::bytes(size) };
    while import.end.is_none() {
        let kept = store.bulk(move |bulk| match all_or_nothing {
            true => import.all(bulk),
            false => import.some(bulk, BATCH),
        });
        import = match kept.await {
            Ok(import) => import,
            Err(Undone::Import(import)) => *import,
            Err(Undone::Store(error)) => return Err(error.into()),
        };
    }
    import.close(all_or_nothing)
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

/// The reason why a transaction is rolled back.
enum Undone {
    Store(StoreError),
    /// Some rows are faulty.
    Import(Box<Import>),
}

impl Import {
    /// Registers all remaining rows.
    fn all(self, bulk: &mut Bulk<'_>) -> Result<Self, Undone> {
        let import = self.some(bulk, u64::MAX)?;
        match import.end {
            Some(Ok(())) if import.refused == 0 => Ok(import),
            _ => Err(Undone::Import(Box::new(import))),
        }
    }

    /// Registers the good ones of the next `most` rows.
    fn some(mut self, bulk: &mut Bulk<'_>, most: u64) -> Result<Self, Undone> {
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
            let registered = patient.and_then(|(id, details)| bulk.decide(&act, &mut registration(id, details)));
            match registered {
                Ok(_) => {}
                Err(Error::Store(error)) => return Err(error.into()),
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

impl From<StoreError> for Undone {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
