//! Many decisions, or another journal's entries, in one transaction.

use care_core::{
    error::{Error, StoreError},
    store::{
        self, Act, Decided, Deciding, Decision, Entry, Epoch, KeyDecision, Limit, Portion, Query, Record, ReplayError,
        Seq, Step, Transaction as _, Versioned, queue::Exclusive, rows::EntryRow, sql::KEYS,
    },
};
use futures_executor::block_on;

use super::{
    ahead::{self, Next},
    transaction::Transaction,
};
use crate::{
    base::error::Fault,
    connect::session::Request,
    read::{journal, list::list},
};

/// The number of entries that are written together, while the next ones are being decided.
const TOGETHER: usize = 500;
/// The cache is cleared at this size, so that a million decisions need no more memory than a few thousand.
const KNOWN: usize = 50_000;

/// Work that has a transaction to itself.
pub(crate) type AloneWork = Box<dyn for<'a> Exclusive<Bulk<'a>>>;

/// A transaction for many decisions.
#[derive(Debug)]
pub(crate) struct Bulk<'a> {
    pub(crate) transaction: Transaction<'a>,
    entered: usize,
    /// The failure after which the transaction must be rolled back.
    pub(crate) failure: Option<Fault>,
}

impl<'a> Bulk<'a> {
    pub(crate) const fn new(transaction: Transaction<'a>) -> Self {
        Self { transaction, entered: 0, failure: None }
    }

    /// Appends entries exactly as they are.
    pub(crate) fn replay(&mut self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        ReplayError::unless_next(self.transaction.last, &entries)?;
        if let Some(last) = entries.last() {
            let note = Request::new(journal::NOTE_REPLAYED, [last.seq.value().cast_signed().into()]);
            self.with(|transaction| transaction.write([note]))?;
        }
        for entry in entries {
            self.with(|transaction| transaction.append(EntryRow::of(&entry)?))?;
            self.write_if_due()?;
        }
        Ok(())
    }

    /// Runs a decision about API keys.
    pub(crate) fn decide_keys(&mut self, decision: &mut KeyDecision) -> Result<(), StoreError> {
        let entry = self.with(|transaction| {
            let known = journal::keys(&transaction.query(Request::new(KEYS, []))?)?;
            let (kept, entry) = journal::decide_keys(decision, &known)?;
            transaction.write(kept)?;
            Ok(entry)
        })?;
        match entry {
            Some((act, mut entry)) => self.decide(&act, &mut entry).map(drop).map_err(StoreError::of_key_entry),
            None => Ok(()),
        }
    }

    /// Gives the database a new epoch.
    pub(crate) fn renew_epoch(&mut self) -> Result<Epoch, StoreError> {
        let epoch = Epoch::random();
        let renew = Request::new("UPDATE care SET epoch = $1", [i64::from(epoch.value()).into()]);
        self.with(|transaction| transaction.write([renew]))?;
        Ok(epoch)
    }

    fn write_if_due(&mut self) -> Result<(), StoreError> {
        self.entered += 1;
        if self.entered.is_multiple_of(TOGETHER) {
            self.with(Transaction::send)?;
        }
        if self.transaction.cache.len() > KNOWN {
            // Only what has been written can be loaded again.
            self.with(Transaction::send)?;
            self.transaction.cache.clear();
        }
        Ok(())
    }

    /// Works on the transaction, which is rolled back after a failure.
    fn with<T>(&mut self, work: impl FnOnce(&mut Transaction<'a>) -> Result<T, Fault>) -> Result<T, StoreError> {
        work(&mut self.transaction).map_err(|fault| {
            let kind = fault.kind();
            self.failure.get_or_insert(fault);
            kind.into()
        })
    }
}

impl store::Transaction for Bulk<'_> {
    fn decide(&mut self, act: &Act, decision: &mut Decision) -> Decided {
        // The decision has the store to itself, so it has no time limit.
        let mut deciding = Deciding::of(decision).unlimited();
        let plan = loop {
            match deciding.step() {
                Step::Need(keys) => {
                    let found = self.with(|transaction| transaction.load(&keys))?;
                    keys.into_iter().zip(found).for_each(|(key, found)| deciding.enter(key, found));
                }
                Step::Done(plan) => break plan,
                Step::Refused(error) => return Err(error),
            }
        };
        if plan.is_empty() {
            return Ok(None);
        }
        let seq = self.with(|transaction| transaction.enter(act, plan))?;
        self.write_if_due()?;
        Ok(Some(seq))
    }

    /// Loads what these decisions need together, as far as that can be known, and runs them in order.
    fn decide_each(&mut self, act: &Act, decisions: &mut [Decision]) -> Result<Vec<Decided>, StoreError> {
        self.with(|transaction| ahead::load(transaction, decisions, |decision| Some(Next { turn: None, decision })))?;
        let decided = decisions.iter_mut().map(|decision| match self.decide(act, decision) {
            Err(Error::Store(failure)) => Err(failure),
            decided => Ok(decided),
        });
        decided.collect()
    }

    fn list(&mut self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.with(|transaction| block_on(list(&mut transaction.snapshot()?, query, limit)))
    }

    fn journal(&mut self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.with(|transaction| block_on(journal::entries(&mut transaction.snapshot()?, after, limit)))
    }

    fn rewrite(&mut self, entry: &Entry) -> Result<(), StoreError> {
        self.with(|transaction| transaction.write([journal::rewrite(entry)?]))
    }
}
