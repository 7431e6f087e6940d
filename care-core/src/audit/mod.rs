//! Proving that a store does not contradict itself.
//!
//! ```
//! use care_core::{audit, model::PatientDetails, service::CareService, store::MemoryStore};
//!
//! # futures_executor::block_on(async {
//! let care = CareService::new(MemoryStore::new());
//! care.register_patient(PatientDetails::default()).await?;
//! let summary = audit::verify(care.store()).await?;
//! assert_eq!((summary.entries, summary.records), (1, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod contradiction;
mod ledger;
mod replica;

use std::collections::BTreeMap;

pub use contradiction::{AuditError, Contradiction};

use crate::{
    model::KeyName,
    operation::JournalOperation,
    store::{CareStore, Entry, Limit, Query, RecordKey, Revision, Seq},
};
use ledger::Ledger;
use replica::{Fingerprint, Replica};

/// The size of a page of entries or records, in items and bytes.
const PAGE: Limit = Limit::items(1000).bytes(1 << 20);

/// The extent of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// The number of journal entries that were replayed.
    pub entries: u64,
    /// The number of records in the store, for all of which the journal accounts.
    pub records: u64,
}

/// Replays the journal and compares the result with every record of the store, in both directions and with versions. It
/// also proves that the journal itself is possible:
///
/// - entries are numbered without gaps, none is empty, and each names its actor;
/// - invoice, prescription, consultation and movement numbers are given in order from 1, without a gap and never twice,
///   and the counters agree;
/// - each completed consultation is counted once: the patient's history has its visit and its day, and names the
///   medicine billed on the invoice that was paid last;
/// - diseases are recorded with their consultation, counted as the visit that the consultation becomes, and never
///   changed; a patient's history has their number;
/// - a consultation completes with the first payment of one of its prescriptions or because it has none, and a
///   completed, dispensed or paid record stays so;
/// - a patient has at most one active prescription for a medicine, a prescription at most one unpaid invoice, and an
///   issued invoice is never changed;
/// - the daily and running counts of each medicine are those of its prescriptions;
/// - movements of stock are numbered without gaps, and neither changed nor removed; together they make the lots of
///   their medicine, none of which is ever below zero, and each balance is their sum; a reversal is the one opposite of
///   a receipt or a removal, and no more units come back of an invoice than it took from the lot;
/// - the reserved units of a medicine are the sum of its unpaid invoices; the units that an invoice reserved are handed
///   out by the entry that pays it and by no other, from usable lots and first expired first out, and counted on that
///   day;
/// - a medicine has stock exactly while it is tracked and in the inventory;
/// - every reference points to a record, and a voided patient number is never used again.
///
/// It may run while other processes write: it takes their commits into account. It reads by page. Of each record it
/// keeps the key and a digest, and of consultations, prescriptions and histories the fields that the proof needs: in
/// memory about 100 bytes for a patient, and 400 for a prescription with its invoice and consultation.
///
/// # Errors
/// The first contradiction, or the failure of the store.
pub async fn verify(store: &dyn CareStore) -> Result<Summary, AuditError> {
    let mut audit = Audit::default();
    audit.catch_up(store, |_, _| {}).await?;
    let (mut records, mut after) = (0, None);
    loop {
        let query = Query::All { after: after.clone() };
        let page = store.list(&query, PAGE).await?;
        // Every commit before or during the read of the page is in the journal now.
        let mut superseded: EarlierStates = BTreeMap::new();
        audit
            .catch_up(store, |key, kept| {
                superseded.entry(key).or_default().push(kept);
            })
            .await?;
        audit.compare(store, after.as_ref(), &page, &superseded).await?;
        records += page.items.len() as u64;
        match page.items.last() {
            Some(last) if page.more => after = Some(last.record.key()),
            _ => break,
        }
    }
    audit.ledger.close(&audit.replica)?;
    Ok(Summary { entries: audit.replica.last().value(), records })
}

/// Earlier states of records, each from before one of the entries that were read after the page.
type EarlierStates = BTreeMap<RecordKey, Vec<Option<Fingerprint>>>;

#[derive(Debug, Default)]
struct Audit {
    replica: Replica,
    ledger: Ledger,
}

impl Audit {
    /// Replays the rest of the journal, and adds the states that it replaces to `superseded`.
    async fn catch_up(
        &mut self,
        store: &dyn CareStore,
        mut replaced: impl FnMut(RecordKey, Option<Fingerprint>) + Send,
    ) -> Result<(), AuditError> {
        loop {
            let page = store.journal(self.replica.last(), PAGE).await?;
            for entry in &page.items {
                self.enter(entry, &mut replaced)?;
            }
            if !page.more {
                return Ok(());
            }
        }
    }

    fn enter(
        &mut self,
        entry: &Entry,
        replaced: &mut impl FnMut(RecordKey, Option<Fingerprint>),
    ) -> Result<(), Contradiction> {
        let due = self.replica.last().next();
        if entry.seq != due {
            return Err(Contradiction::in_journal(due, "the entry is missing"));
        }
        if entry.is_empty() {
            return Err(Contradiction::in_journal(due, "the entry changes nothing"));
        }
        if KeyName::check(&entry.actor).is_err() {
            return Err(Contradiction::in_journal(due, "the entry's actor breaks the rule for names"));
        }
        if JournalOperation::named(&entry.operation).is_none() {
            return Err(Contradiction::in_journal(due, "the entry is of an unknown operation"));
        }
        let found = |contradiction: Contradiction| contradiction.in_entry(due);
        self.ledger.begin(entry);
        for (place, Revision { change, replaced: says }) in entry.revisions.iter().enumerate() {
            let key = change.key();
            self.ledger.enter(change, &self.replica).map_err(found)?;
            let before = self.replica.apply(entry, change);
            let met = before.map_or(Seq::ZERO, |kept| kept.version);
            // A state between two changes of the same entry is not a version.
            let is_first = entry.revisions[..place].iter().all(|earlier| earlier.change.key() != key);
            if is_first && *says != met {
                let what = format!("is said to replace entry {says}, but the last to put it was entry {met}");
                return Err(found(Contradiction::of(key, what)));
            }
            replaced(key, before);
        }
        self.ledger.end(&self.replica).map_err(found)?;
        self.replica.end(entry);
        Ok(())
    }
}
