//! The demo clinic behind `--demo`: a small clinic with a year of data.
//!
//! [`fill`] simulates the year. Patients register, fall ill and come in, the doctor prescribes, and invoices are
//! issued, paid, forgotten and cancelled. The manager refunds two and corrects the method of one. The pharmacist counts
//! in units, orders each week what the plans advise, receives deliveries, and dispenses first what expires first. Some
//! medicines run out, one is recalled, and one count differs. One medicine is left untracked as an example. Everything
//! goes through [`CareService`], so the data obeys every rule that real data obeys, and the journal holds the whole
//! year.
//!
//! The year ends on the evening before the service's own today, so that no date lies in the future and the restock
//! report has content. Apart from the dates, every year is the same.
//!
//! All people in it are invented: their names say so, their email addresses are at `example.org`, and their phone
//! numbers come from a range that is reserved for fiction.

mod calendar;
mod clinic;
mod complaints;
mod desk;
mod dice;
mod people;
mod pharmacist;
mod shelf;
mod stock;

use std::fmt;

use care_core::{
    error::Error,
    model::Invalid,
    service::CareService,
    store::{Limit, MemoryStore, ReplayError, Seq},
};

use clinic::Clinic;

/// The number of events of each kind, including events whose records were later withdrawn, cancelled or voided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// The patients who registered.
    pub patients: usize,
    /// The medicines that the pharmacy took in.
    pub medicines: usize,
    /// The consultations that the doctor recorded.
    pub consultations: usize,
    /// The prescriptions that were made.
    pub prescriptions: usize,
    /// The invoices that were issued.
    pub invoices: usize,
    /// The invoices that were paid.
    pub payments: usize,
}

/// The reason why the store was not filled. It then holds no part of the demo.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum NotFilled {
    /// The store has records already.
    #[error("the store is not empty")]
    NotEmpty,
    /// The store failed.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Fills an empty store with the demo clinic, completely or not at all, even if another process writes meanwhile.
///
/// The year is simulated in memory, and its journal is copied in one transaction. On the same day, the journal is the
/// same, entry for entry: about 700 entries.
///
/// ```
/// use care_core::{model::PatientId, service::CareService, store::MemoryStore};
/// use care_server::demo;
///
/// # futures_executor::block_on(async {
/// let care = CareService::new(MemoryStore::new());
/// let year = demo::fill(&care).await?;
/// assert!(year.payments > 100);
/// assert!(care.history(PatientId::FIRST).await?.record.visits > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`NotFilled`]. The store is then unchanged.
pub async fn fill(care: &CareService) -> Result<Summary, NotFilled> {
    let last = care.store().last().await.map_err(Error::from)?;
    if last != Seq::ZERO {
        return Err(NotFilled::NotEmpty);
    }
    let draft = care.on(MemoryStore::new());
    let mut clinic = Clinic::open(&draft)?;
    for day in 0..calendar::YEAR {
        clinic.day(day).await?;
    }
    let journal = draft.store().journal(Seq::ZERO, Limit::ALL).await.map_err(Error::from)?.items;
    match care.store().replay(journal).await {
        Ok(()) => Ok(clinic.summary()),
        Err(ReplayError::Store(error)) => Err(Error::from(error).into()),
        // Another process has written in the meantime.
        Err(ReplayError::NotNext { .. } | ReplayError::Empty(_) | ReplayError::Unlinked(_)) => Err(NotFilled::NotEmpty),
    }
}

/// Returns a value from the tables, which the model always accepts.
fn sound<T>(value: Result<T, Invalid>) -> Result<T, Error> {
    value.map_err(|invalid| invalid.at("demo"))
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} patients, {} medicines, {} consultations, {} prescriptions, {} invoices, {} payments",
            self.patients, self.medicines, self.consultations, self.prescriptions, self.invoices, self.payments
        )
    }
}
