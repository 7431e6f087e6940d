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

use care_core::{error::Error, model::Invalid, service::CareService};

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

/// Fills an empty store with the demo clinic.
///
/// The caller makes sure that the store is empty. The same day gives the same journal, entry for entry. It is some 450
/// writes, one after the other, so a store on disk takes a second or so.
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
/// # Ok::<(), care_core::error::Error>(())
/// # })?;
/// # Ok::<(), care_core::error::Error>(())
/// ```
///
/// # Errors
/// The store's failures; a conflict when the store was not empty. What was written before stays.
pub async fn fill(care: &CareService) -> Result<Summary, Error> {
    let mut clinic = Clinic::open(care)?;
    for day in 0..calendar::YEAR {
        clinic.day(day).await?;
    }
    Ok(clinic.summary())
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
