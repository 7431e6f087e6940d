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

mod chain;
mod compare;
mod contradiction;
mod keys;
mod ledger;
mod replica;
mod values;

use std::collections::BTreeMap;

pub use contradiction::{AuditError, Contradiction, Findings};

use crate::{
    model::{KeyName, Scalar},
    operation::JournalOperation,
    store::{ApiKeys, CareStore, Entry, Head, Limit, Query, RecordKey, Revision, Seq},
};
use chain::Chain;
use ledger::Ledger;
use replica::{Fingerprint, Replica};
use values::Values;

/// The size of a page of entries or records, in items and bytes.
const PAGE: Limit = Limit::items(1000).bytes(1 << 20);

/// The extent of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// The number of journal entries that were replayed.
    pub entries: u64,
    /// The number of records in the store, for all of which the journal accounts.
    pub records: u64,
    /// The last entry that was imported, if what it and those before it say of keys was not compared: they are about
    /// another store's.
    pub imported: Option<Seq>,
    /// The head of the journal, to be kept elsewhere: see [`verify_from`].
    pub head: Head,
}

/// Proves three things of a store, and says them apart: that the chain of its journal is whole; that every value is the
/// one that the chain commits to, or one that an erasure left; and that the store is what the journal makes.
///
/// For the last it replays the journal and compares the result with every record of the store, in both directions and
/// with versions. It also proves that the journal itself is possible:
///
/// - no entry is empty, and each names its actor;
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
/// - every reference points to a record; the owner of a record is there, or is voided and the record is of a kind that
///   is kept; and a voided patient number is never used again.
///
/// It may run while other processes write: it takes their commits into account. It reads by page. Of each record it
/// keeps the key and a digest, and of consultations, prescriptions and histories the fields that the proof needs: in
/// memory about 100 bytes for a patient, and 400 for a prescription with its invoice and consultation.
///
/// # Errors
/// The first contradiction of each of the three, or the failure of the store.
pub async fn verify(store: &dyn CareStore) -> Result<Summary, AuditError> {
    audit(store, None, None).await
}

/// Proves what [`verify`] does, and that the journal leads to a head which was kept elsewhere: that no entry up to it
/// was changed or cut off, even if an administrator of the machine has made the chain anew.
///
/// # Errors
/// The first contradiction of each of the three, or the failure of the store.
pub async fn verify_from(store: &dyn CareStore, head: Head) -> Result<Summary, AuditError> {
    audit(store, None, Some(head)).await
}

/// Proves what [`verify`] does, and [`verify_from`] with a head; and that the clients' keys are those which the journal
/// has issued, rotated and revoked since the last entry that came from another store.
///
/// The digest of a key's secret is in no journal. A store that can seal its rows checks it by itself.
///
/// # Errors
/// The first contradiction of each of the three, or the failure of the store.
pub async fn verify_with_keys(
    store: &dyn CareStore,
    keys: &dyn ApiKeys,
    head: Option<Head>,
) -> Result<Summary, AuditError> {
    audit(store, Some(keys), head).await
}

/// Proves it, and begins again when a person was erased meanwhile: what was read before the erasure and what was read
/// after it do not agree. Each further round needs another erasure.
async fn audit(store: &dyn CareStore, keys: Option<&dyn ApiKeys>, head: Option<Head>) -> Result<Summary, AuditError> {
    loop {
        let mut audit = Audit { chain: Chain::to(head), began: store.last().await?, ..Audit::default() };
        let audited = audit.run(store, keys).await;
        if !audit.is_outdated {
            return audited;
        }
    }
}

/// The check of a journal, entry by entry, where there is no store: of the lines of an export before they are imported.
///
/// It says what [`verify`] proves of a journal: everything but what records and keys a store has.
#[derive(Debug, Default)]
pub struct JournalCheck(Audit);

impl JournalCheck {
    /// Reads the next entry.
    ///
    /// # Errors
    /// When the entry does not follow the one before it in the chain, or is no possible erasure; or when a value cannot
    /// be written as JSON.
    pub fn enter(&mut self, entry: &Entry) -> Result<(), AuditError> {
        let audit = &mut self.0;
        audit.values.read(entry)?;
        audit.chain.enter(entry, &audit.values)?;
        match audit.chain.fault.take() {
            Some(fault) => Err(Findings { chain: Some(fault), ..Findings::default() }.into()),
            None => {
                audit.replay(entry, &mut |_, _| {});
                Ok(())
            }
        }
    }

    /// Returns what is wrong with the entries together, and the first entry that is: with a value that is neither the
    /// one committed to nor one that an erasure left, or else one that breaks a rule of the domain. A reference to what
    /// is not there is the last entry's.
    pub fn found(&self) -> Option<(Seq, Findings)> {
        let Audit { chain, replica, ledger, fault, .. } = &self.0;
        if let Some((seq, found)) = chain.changed() {
            return Some((seq, Findings { values: Some(found), ..Findings::default() }));
        }
        let found = fault.clone().or_else(|| ledger.close(replica).err())?;
        Some((found.entry.unwrap_or(chain.last().seq), Findings { records: Some(found), ..Findings::default() }))
    }
}

/// Earlier states of records, each from before one of the entries that were read after the page.
type EarlierStates = BTreeMap<RecordKey, Vec<Option<Fingerprint>>>;

#[derive(Debug, Default)]
struct Audit {
    /// The last entry when the audit began.
    began: Seq,
    /// Whether a value was erased since it was read.
    is_outdated: bool,
    chain: Chain,
    /// The values of the last entry.
    values: Values,
    replica: Replica,
    ledger: Ledger,
    /// The first entry that the replica cannot follow, or the first record that differs from it.
    fault: Option<Contradiction>,
}

/// The number of times that keys are read again which may have been changed since they were read.
const AGAIN: usize = 3;

impl Audit {
    async fn run(&mut self, store: &dyn CareStore, keys: Option<&dyn ApiKeys>) -> Result<Summary, AuditError> {
        self.catch_up(store, |_, _| {}).await?;
        let mut records = 0;
        if self.fault.is_none() {
            match self.records(store).await {
                Ok(number) => records = number,
                Err(AuditError::Contradiction(found)) if found.chain.is_none() => self.fault = found.records,
                Err(error) => return Err(error),
            }
        }
        let imported = match keys {
            Some(keys) => self.keys(store, keys).await?,
            None => None,
        };
        self.chain.end();
        match self.findings() {
            Some(findings) => Err(findings.into()),
            None => Ok(Summary { entries: self.replica.last().value(), records, imported, head: self.chain.last() }),
        }
    }

    /// Compares all records of the store with the replica, and returns their number.
    async fn records(&mut self, store: &dyn CareStore) -> Result<u64, AuditError> {
        let (mut records, mut after) = (0, None);
        loop {
            let query = Query::All { after: after.clone() };
            let page = store.list(&query, PAGE).await?;
            // Every commit before or during the read of the page is in the journal now.
            let mut superseded: EarlierStates = BTreeMap::new();
            self.catch_up(store, |key, kept| {
                superseded.entry(key).or_default().push(kept);
            })
            .await?;
            if let Some(fault) = self.fault.take() {
                return Err(fault.into());
            }
            self.compare(store, after.as_ref(), &page, &superseded).await?;
            records += page.items.len() as u64;
            match page.items.last() {
                Some(last) if page.more => after = Some(last.record.key()),
                _ => break,
            }
        }
        self.ledger.close(&self.replica)?;
        Ok(records)
    }

    /// Compares the keys with what the journal says of them. Returns the last entry that was imported, if such an
    /// entry says something of a key.
    async fn keys(&mut self, store: &dyn CareStore, keys: &dyn ApiKeys) -> Result<Option<Seq>, AuditError> {
        let mut imported = keys.replayed().await?;
        for _ in 0..AGAIN {
            if self.fault.is_some() {
                break;
            }
            let (found, before) = (keys.api_keys().await?, self.chain.last());
            imported = keys.replayed().await?;
            self.catch_up(store, |_, _| {}).await?;
            let contradiction = match imported > self.replica.last() {
                true => Some(Contradiction::in_journal(imported, "was imported, it is said, but is not there")),
                false => keys::contradiction(&self.replica, &found, imported),
            };
            // Entries that were written meanwhile may speak of newer keys than were found.
            if contradiction.is_none() || self.chain.last() == before {
                self.fault = self.fault.take().or(contradiction);
                break;
            }
        }
        Ok(keys::is_said_until(&self.replica, imported).then_some(imported))
    }

    fn findings(&mut self) -> Option<Findings> {
        let values = self.chain.changed().map(|(_, found)| found);
        let found = Findings { chain: self.chain.fault.take(), values, records: self.fault.take() };
        (found != Findings::default()).then_some(found)
    }

    /// Replays the rest of the journal, and adds the states that it replaces to `superseded`. A finding does not end
    /// it, unless an entry is missing.
    async fn catch_up(
        &mut self,
        store: &dyn CareStore,
        mut replaced: impl FnMut(RecordKey, Option<Fingerprint>) + Send,
    ) -> Result<(), AuditError> {
        loop {
            let last = self.chain.last().seq;
            let page = store.journal(last, PAGE).await?;
            for (entry, due) in page.items.iter().zip(last.value() + 1..) {
                if entry.seq != Seq::new(due) {
                    self.chain.misses(Seq::new(due));
                    let chain = self.chain.fault.take();
                    return Err(Findings { chain, records: self.fault.take(), ..Findings::default() }.into());
                }
                self.is_outdated |= entry.seq > self.began && self.chain.is_outdated_by(entry);
                self.values.read(entry)?;
                self.chain.enter(entry, &self.values)?;
                self.replay(entry, &mut replaced);
            }
            if !page.more {
                return Ok(());
            }
        }
    }

    /// Replays the next entry, up to the first that contradicts those before it.
    fn replay(&mut self, entry: &Entry, replaced: &mut impl FnMut(RecordKey, Option<Fingerprint>)) {
        if self.fault.is_none() {
            self.fault = self.enter(entry, replaced).err();
        }
    }

    fn enter(
        &mut self,
        entry: &Entry,
        replaced: &mut impl FnMut(RecordKey, Option<Fingerprint>),
    ) -> Result<(), Contradiction> {
        let due = entry.seq;
        if entry.is_empty() {
            return Err(Contradiction::in_journal(due, "the entry changes nothing"));
        }
        if KeyName::from_stored(entry.actor.to_string()).is_err() {
            return Err(Contradiction::in_journal(due, "the entry's actor breaks the rule for names"));
        }
        if JournalOperation::named(&entry.operation).is_none() {
            return Err(Contradiction::in_journal(due, "the entry is of an unknown operation"));
        }
        let found = |contradiction: Contradiction| contradiction.in_entry(due);
        self.ledger.begin(entry);
        let revisions = entry.revisions.iter().zip(self.values.each()).enumerate();
        for (place, (Revision { change, replaced: says, .. }, value)) in revisions {
            let key = change.key();
            self.ledger.enter(change, &self.replica).map_err(found)?;
            let before = self.replica.apply(entry, change, value);
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
