//! Erasing a person from a store.

use super::rewriting::Erasure;
use crate::{
    error::{Error, StoreError, StoreErrorKind},
    model::{Invoice, InvoiceState, PatientId},
    operation::JournalOperation,
    service::CareService,
    store::{Act, Entity, Entry, InvoiceFilter, Limit, Record, Seq, Transaction, Versioned},
};

/// The size of a page of entries, in items and bytes.
const PAGE: Limit = Limit::items(500).bytes(1 << 20);

/// The result of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErasureReport {
    /// The journal entry that says so, the last one if there are several: each lists at most
    /// [`Erased::MOST`](crate::store::Erased::MOST) values.
    pub entry: Seq,
    /// The number of earlier entries that contained something of the person.
    pub rewritten: usize,
}

/// The entries that an erasure rewrites, or that say that it was done, up to the last entry that was looked at.
struct RewriteList {
    entries: Vec<Seq>,
    last: Seq,
}

impl CareService {
    /// Erases a person from every record and every journal entry, and voids the patient unless that was done. A second
    /// erasure of the same person adds no entry to the journal.
    ///
    /// Numbers, days, medicines, amounts and states stay: they are the facility's books, and identify no person.
    /// Removed is all data of the person: name, contact, age, gender, weight, address and insurance, what was
    /// diagnosed, every dosage, the person's data on invoices, the notes of what came back of these, of their refunds
    /// and of corrections, and the service's kept answers about them. All copies of a record change alike, so the
    /// journal still makes the records that there are.
    ///
    /// Writers go on while the journal is read, and wait while the entries are rewritten, which takes moments. The
    /// store may still have what was rewritten in its files, until
    /// [`Maintenance::scrub`](crate::store::Maintenance::scrub) is done.
    ///
    /// ```
    /// use care_core::{
    ///     model::PatientDetails,
    ///     service::CareService,
    ///     store::{Limit, MemoryStore, Seq},
    /// };
    ///
    /// # futures_executor::block_on(async {
    /// let care = CareService::new(MemoryStore::new()).acting_as("data protection");
    /// let details = PatientDetails::named("Ada Example")?;
    /// let id = care.register_patient(details).await?.patient_id;
    ///
    /// let erased = care.erase_patient(id).await?;
    /// assert_eq!((erased.entry, erased.rewritten), (Seq::new(2), 1));
    /// let journal = care.store().journal(Seq::ZERO, Limit::ALL).await?;
    /// assert!(!format!("{journal:?}").contains("Ada"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`] when no patient has or had the number; [`StoreErrorKind::Unsupported`] when the store has no
    /// [`Maintenance`](crate::store::Maintenance); and the store's failures. Nothing was erased then.
    pub async fn erase_patient(&self, patient: PatientId) -> Result<ErasureReport, Error> {
        let act = self.act(JournalOperation::ErasePatient)?;
        let maintenance = self.store.maintenance().ok_or_else(|| StoreError::from(StoreErrorKind::Unsupported))?;
        let affected = self.affected(patient).await?;
        let erased = maintenance.transaction(move |transaction| erase(transaction, patient, &act, affected)).await?;
        self.feed.announce(erased.entry);
        Ok(erased)
    }

    /// Finds the entries that are about a person, without a transaction.
    async fn affected(&self, patient: PatientId) -> Result<RewriteList, Error> {
        let mut affected = RewriteList { entries: Vec::new(), last: Seq::ZERO };
        let mut erasure = Erasure::of(patient);
        loop {
            let page = self.store.journal(affected.last, PAGE).await?;
            for entry in &page.items {
                let is_removed = erasure.is_removed_in(entry);
                if erasure.entry(entry)?.is_some() || is_removed || erasure.done() == Some(entry.seq) {
                    affected.entries.push(entry.seq);
                }
                affected.last = entry.seq;
            }
            if !page.more {
                return Ok(affected);
            }
        }
    }
}

/// Rewrites the affected entries and those that were written since, as they are now, and then the records.
fn erase(
    transaction: &mut dyn Transaction,
    patient: PatientId,
    act: &Act,
    RewriteList { entries, mut last }: RewriteList,
) -> Result<ErasureReport, Error> {
    let filter = InvoiceFilter { patient_id: Some(patient), ..InvoiceFilter::default() };
    let paid = transaction.list(&Invoice::list(&filter, None), Limit::ALL)?.items;
    let paid = paid.into_iter().filter_map(|found| Invoice::try_from_record(found.record));
    let paid: Vec<_> = paid.filter(|invoice| invoice.state != InvoiceState::Unpaid).collect();
    let mut erasure = Erasure::of(patient);
    erasure.billed(&paid);
    let mut rewritten = 0;
    let mut rewrite = |transaction: &mut dyn Transaction, entry: Entry| -> Result<(), Error> {
        if let Some(entry) = erasure.entry(&entry)? {
            transaction.rewrite(&entry)?;
            rewritten += 1;
        }
        Ok(())
    };
    for seq in entries {
        for entry in transaction.journal(Seq::new(seq.value() - 1), Limit::items(1))?.items {
            rewrite(transaction, entry)?;
        }
    }
    loop {
        let page = transaction.journal(last, PAGE)?;
        for entry in page.items {
            last = entry.seq;
            rewrite(transaction, entry)?;
        }
        if !page.more {
            break;
        }
    }
    if let Some(entry) = erasure.done().filter(|_| rewritten == 0) {
        return Ok(ErasureReport { entry, rewritten });
    }
    let mut entry = Seq::ZERO;
    for mut decision in erasure.decisions(paid) {
        entry = transaction.decide(act, &mut decision)?.unwrap_or_default();
    }
    for Versioned { version, record } in erasure.replies() {
        transaction.rewrite_record(&Versioned { version, record: Record::from(record.clone()) })?;
    }
    Ok(ErasureReport { entry, rewritten })
}
