//! The demo clinic behind `--demo`: a small clinic with a year of work behind it.
//!
//! [`fill`] lets a year pass: patients register, fall ill and come, the doctor prescribes, medicines run out and come
//! back, invoices are issued, paid, forgotten and cancelled. All of it goes through [`CareService`], so the data keep
//! every rule that real data keep, and the journal tells the whole year.
//!
//! The year ends on the evening before the service's own today, so that nothing lies in the future and the restock
//! report has something to say. Apart from the dates it is the same year every time.
//!
//! Everybody in it is invented: the names say so, the mail addresses are at `example.org`, and the phone numbers come
//! from a range that is kept free for fiction.

mod calendar;
mod clinic;
mod complaints;
mod desk;
mod dice;
mod people;
mod stock;

use std::fmt;

use care_core::{
    error::Error,
    model::Invalid,
    service::CareService,
    store::{Limit, MemoryStore, ReplayError, Seq},
};

use clinic::Clinic;

/// What happened in the year, what was later withdrawn, cancelled or voided included.
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

/// Why a store was not filled. Nothing of the demo is in it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotFilled {
    /// Something is in it already.
    #[error("the store is not empty")]
    NotEmpty,
    /// The store could not do it.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Fills an empty store with the demo clinic: whole or not at all, whatever happens meanwhile.
///
/// The year passes in memory, and its journal is taken over in one transaction. The same day gives the same journal,
/// entry for entry: some 450.
///
/// ```
/// use care_core::{model::PatientId, service::CareService, store::MemoryStore};
/// use care_examples::demo;
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
/// [`NotFilled`]; the store is then as it was.
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
        // Another process has written meanwhile.
        Err(ReplayError::NotNext { .. } | ReplayError::Empty(_)) => Err(NotFilled::NotEmpty),
    }
}

/// A value from one of the tables, which hold nothing that the model refuses.
fn sound<T>(value: Result<T, Invalid>) -> Result<T, Error> {
    value.map_err(|invalid| Error::field("demo", invalid.rule()))
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
