//! Imports that are done in turns, between which other processes write.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::UtcOffset,
    service::{CareService, Facility},
    store::Transaction,
};
use clap::Args;

use super::{
    AdminError,
    database::{Store, upkeep},
};
use crate::{InputFile, options::utc_offset};

/// The time after which a transaction ends, because the writes of others wait for it.
const TURN: Duration = Duration::from_millis(200);

/// The table of an import, and how it is imported.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The CSV file.
    pub(super) file: InputFile,
    /// Import nothing unless every row is valid. Other processes cannot write until the import ends.
    #[arg(long)]
    pub(super) all_or_nothing: bool,
    /// Offset of the facility's clocks from UTC, which decides which day is "today".
    #[arg(long, env = "CARE_UTC_OFFSET", value_name = "MINUTES", value_parser = utc_offset)]
    #[arg(default_value = "0", allow_negative_numbers = true)]
    utc_offset: UtcOffset,
}

impl Options {
    /// Returns the service of the facility on this store.
    pub(super) fn care(&self, store: &Arc<dyn Store>) -> Result<CareService, AdminError> {
        let facility = Facility { utc_offset: self.utc_offset, ..Facility::default() };
        let care = CareService::new(Arc::clone(store)).with_facility(facility);
        care.today().map_err(|_| AdminError::Clock)?;
        Ok(care)
    }
}

/// A running import. It is moved to the thread that writes and back.
pub(super) trait Import: Sized + Send + 'static {
    /// Returns whether nothing is left to do.
    fn is_over(&self) -> bool;

    /// Returns whether all was done.
    fn is_good(&self) -> bool;

    /// Does some of the work, for about this time.
    fn some(self, transaction: &mut dyn Transaction, turn: Duration) -> Result<Self, StoreError>;
}

/// Runs an import to its end: in turns, or in one transaction that is taken back unless all was done.
pub(super) async fn run<T: Import>(store: &dyn Store, mut import: T, all_or_nothing: bool) -> Result<T, AdminError> {
    while !import.is_over() {
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
