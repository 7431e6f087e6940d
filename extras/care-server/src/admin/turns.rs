//! Imports that are done in pieces, between which other processes write.

use std::sync::{Arc, Mutex, PoisonError};

use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    service::CareService,
    store::Transaction,
};
use clap::Args;

use super::{
    AdminError,
    database::{Database, Store, upkeep},
};
use crate::InputFile;

/// Most records that a task writes in one transaction: the writes of others wait for them, 50 ms at most on a common
/// machine. Then the store leaves others a turn.
pub(super) const RECORDS: usize = 500;
/// The number of bytes of input after which such a transaction ends.
pub(super) const BYTES: u64 = 512 << 10;

/// The table of an import, and how it is imported.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The CSV file.
    pub(super) file: InputFile,
    /// Import nothing unless every row is valid. Other processes cannot write until the import ends.
    #[arg(long)]
    pub(super) all_or_nothing: bool,
}

/// Returns the service of the facility, whose clock works.
pub(super) fn care(database: &Database, store: &Arc<dyn Store>) -> Result<CareService, AdminError> {
    database.today()?;
    Ok(database.care(store))
}

/// A running import. It is moved to the thread that writes and back.
pub(super) trait Import: Sized + Send + 'static {
    /// Returns whether nothing is left to do.
    fn is_over(&self) -> bool;

    /// Returns whether all was done.
    fn is_good(&self) -> bool;

    /// Does the next piece of the work: at most [`RECORDS`].
    fn piece(self, transaction: &mut dyn Transaction) -> Result<Self, StoreError>;
}

/// Runs an import to its end: each piece in a transaction of its own, or all of them in one that is rolled back unless
/// all was done.
pub(super) async fn run<T: Import>(store: &dyn Store, mut import: T, all_or_nothing: bool) -> Result<T, AdminError> {
    while !import.is_over() {
        let undone = Arc::new(Mutex::new(None));
        let left = Arc::clone(&undone);
        let work = move |transaction: &mut dyn Transaction| {
            let mut import = import.piece(transaction)?;
            while all_or_nothing && !import.is_over() {
                import = import.piece(transaction)?;
            }
            match all_or_nothing && !import.is_good() {
                true => {
                    *left.lock().unwrap_or_else(PoisonError::into_inner) = Some(import);
                    // Any refusal rolls the transaction back; this one is not shown.
                    Err(Error::Invalid(Vec::new()))
                }
                false => Ok(import),
            }
        };
        let kept = upkeep(store)?.transaction(work).await;
        let undone = undone.lock().unwrap_or_else(PoisonError::into_inner).take();
        import = match (kept, undone) {
            (Ok(import), _) | (Err(_), Some(import)) => import,
            (Err(Error::Store(error)), None) => return Err(error.into()),
            // Rows are refused one by one; only the store can refuse a whole transaction.
            (Err(_), None) => return Err(StoreError::from(StoreErrorKind::Broken).into()),
        };
    }
    Ok(import)
}
