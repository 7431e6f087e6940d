//! Proving that nothing in a store contradicts anything else.
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
    store::{CareStore, Entry, Limit, Query, RecordKey, Revision, Seq, is_operation},
};
use ledger::Ledger;
use replica::{Fingerprint, Replica};

/// How many entries or records are read at once, and of how many bytes together.
const PAGE: Limit = Limit::items(1000).bytes(1 << 20);

/// What was proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// How many journal entries were replayed.
    pub entries: u64,
    /// How many records the store holds, all of which the journal accounts for.
    pub records: u64,
}

/// Replays the journal and compares it with every record of the store, both ways, versions included; and proves
/// along the way that the journal itself tells a possible story:
///
/// - entries are numbered without gaps, none is empty, and each names who acted and an operation that there is;
/// - invoice, prescription, consultation and movement numbers are given in order from 1, without a gap and never twice, and the
///   counters say so;
/// - each completed consultation is counted once: a patient's history has its visit and its day, and names what was
///   billed on the invoice that was paid last;
/// - what was diagnosed is recorded with its consultation, counted as the visit that the consultation becomes, and never
///   changed; a patient's history says how many diseases these are;
/// - a consultation completes with the first payment of one of its prescriptions or because it has none, and what is
///   completed, dispensed or paid stays so;
/// - a patient has at most one active prescription for a medicine, a prescription at most one unpaid invoice, and an
///   issued invoice is never changed;
/// - the daily and running counts of each medicine are those of its prescriptions;
/// - movements of stock are numbered without gaps, and neither changed nor removed; folded, they are the lots of their
///   medicine, none of which is ever below zero, and each balance is their sum; a reversal is the one opposite of a
///   receipt or a removal, and no more comes back of an invoice than it took from the lot;
/// - what is reserved of a medicine is the sum of its unpaid invoices; what an invoice reserved is handed out by the
///   entry that pays it and by no other, from usable lots and first expired first out, and counted on that day;
/// - a medicine has stock exactly while it is tracked and in the inventory;
/// - what refers to a record refers to one that is there, and a voided patient number is never used again.
///
/// It may run while others write: what is committed meanwhile is taken into account. It reads by page and keeps of
/// each record its key and a digest, and of consultations, prescriptions and histories what the proof needs: in
/// memory about 100 bytes for a patient and 400 for a prescription with its invoice and consultation.
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
        // Whatever was committed before the page was read, or while it was, is in the journal now.
        let mut superseded: Superseded = BTreeMap::new();
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

/// What records were, each before one of the entries that were read after the records were.
type Superseded = BTreeMap<RecordKey, Vec<Option<Fingerprint>>>;

#[derive(Debug, Default)]
struct Audit {
    replica: Replica,
    ledger: Ledger,
}

impl Audit {
    /// Replays the rest of the journal, and says what it replaces.
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
        if !is_operation(&entry.operation) {
            return Err(Contradiction::in_journal(due, "the entry is of an operation that there is not"));
        }
        let found = |contradiction: Contradiction| contradiction.in_entry(due);
        self.ledger.begin(entry);
        for (place, Revision { change, replaced: says }) in entry.revisions.iter().enumerate() {
            let key = change.key();
            self.ledger.enter(change, &self.replica).map_err(found)?;
            let before = self.replica.apply(entry, change);
            let met = before.map_or(Seq::ZERO, |kept| kept.version);
            // What an earlier change of the same entry made of the record is no version of its own.
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
