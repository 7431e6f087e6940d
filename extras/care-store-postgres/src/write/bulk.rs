//! Many decisions, or another journal's entries, in one transaction.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    store::{
        Act, Decided, Deciding, Decision, Entry, Epoch, KeyDecision, ReplayError, Step, queue::Exclusive,
        rows::EntryRow, sql::KEYS,
    },
};

use super::{
    ahead::{self, Next},
    commit::Outcome,
    transaction::Transaction,
    writer::Writer,
};
use crate::{
    base::error::Fault,
    connect::session::{Request, Session},
    read::journal,
};

/// The number of entries that are written together, while the next ones are being decided.
const TOGETHER: usize = 500;
/// The cache is cleared at this size, so that a million decisions need no more memory than a few thousand.
const KNOWN: usize = 50_000;

/// Work that has a transaction to itself.
pub(crate) type AloneWork = Box<dyn for<'a> Exclusive<Bulk<'a>>>;

/// A transaction for many decisions, which [`PostgresStore::bulk`](crate::PostgresStore::bulk) opens.
#[derive(Debug)]
pub struct Bulk<'a> {
    transaction: Transaction<'a>,
    entered: usize,
    /// The failure after which the transaction must be rolled back.
    failure: Option<Fault>,
}

impl<'a> Bulk<'a> {
    pub(crate) const fn new(transaction: Transaction<'a>) -> Self {
        Self { transaction, entered: 0, failure: None }
    }

    /// Runs a decision, which sees the effects of those before it. Returns the entry's `seq`, or `None` if nothing
    /// changed.
    ///
    /// # Errors
    /// The decision's own refusal, which leaves the other decisions in place; or the store's failure, after which the
    /// whole transaction is rolled back.
    pub fn decide(&mut self, act: &Act, decision: &mut Decision) -> Decided {
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
    ///
    /// # Errors
    /// The store's failure, after which the whole transaction is rolled back.
    pub fn decide_each(&mut self, act: &Act, decisions: &mut [Decision]) -> Result<Vec<Decided>, StoreError> {
        self.with(|transaction| ahead::load(transaction, decisions, |decision| Some(Next { turn: None, decision })))?;
        let decided = decisions.iter_mut().map(|decision| match self.decide(act, decision) {
            Err(Error::Store(failure)) => Err(failure),
            decided => Ok(decided),
        });
        decided.collect()
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
    pub(crate) fn with<T>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'a>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        work(&mut self.transaction).map_err(|fault| {
            let kind = fault.kind();
            self.failure.get_or_insert(fault);
            kind.into()
        })
    }
}

/// Such a transaction may pause for longer than a batch, which pauses only if its server hangs.
const LEISURE: &str = "SET LOCAL idle_in_transaction_session_timeout = '60s'";

impl Writer {
    /// Runs work that has a transaction to itself.
    pub(crate) fn run_exclusive(&mut self, since: Instant, mut work: AloneWork) {
        let session = match self.connected(since) {
            Ok(session) => session,
            Err(fault) => return work.end(Err(self.failed(fault))),
        };
        let outcome = match self.attempt_exclusive(&session, &mut *work) {
            Ok(outcome) => outcome,
            Err(error) => return work.end(Err(error)),
        };
        work.end(match outcome {
            Outcome::Committed => Ok(()),
            Outcome::Not(fault) if fault.is_beaten() => Err(StoreErrorKind::Busy.into()),
            Outcome::Not(fault) => Err(self.failed(fault)),
            Outcome::Open(open) => self.resolve(open).into(),
        });
    }

    fn attempt_exclusive(
        &mut self,
        session: &Arc<Session>,
        work: &mut dyn for<'b> Exclusive<Bulk<'b>>,
    ) -> Result<Outcome, StoreError> {
        let transaction = Transaction::begin(session, Vec::new()).map_err(|fault| self.failed(fault))?;
        let mut bulk = Bulk::new(transaction);
        let begun = bulk.transaction.prepare([Request::plain(LEISURE)]);
        let is_kept = begun.map(|()| catch_unwind(AssertUnwindSafe(|| work.run(&mut bulk))));
        let Bulk { mut transaction, failure, .. } = bulk;
        let fault = match (is_kept, failure) {
            (Ok(Ok(true)), None) if transaction.has_written => {
                let marked = match transaction.first {
                    Some(_) => Ok(()),
                    // A transaction without an entry has no other place for its id.
                    None => transaction.mark(),
                };
                match marked {
                    Ok(()) => return Ok(transaction.commit(self, session)),
                    Err(fault) => fault,
                }
            }
            (Ok(Ok(true)), None) => {
                let settled = transaction.settle(self, session);
                return settled.map(|()| Outcome::Committed).map_err(|fault| self.failed(fault));
            }
            (Ok(Ok(false)), None) => {
                transaction.roll_back();
                return Ok(Outcome::Committed);
            }
            (_, Some(fault)) | (Err(fault), None) => fault,
            (Ok(Err(_)), None) => Fault::Panicked,
        };
        transaction.roll_back();
        Err(self.failed(fault))
    }
}
