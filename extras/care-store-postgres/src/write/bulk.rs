//! Many decisions, or another journal's entries, in one transaction.

use care_core::{
    error::{Error, StoreError},
    store::{Act, Decided, Deciding, Decision, Entry, Epoch, KeyDecision, ReplayError, Step, rows::EntryRow},
};
use futures_channel::oneshot;

use super::{
    ahead::{self, Next},
    transaction::Transaction,
};
use crate::{base::error::Fault, connect::session::Request, read::keys};

/// The number of entries that are written together, while the next ones are being decided.
const TOGETHER: usize = 500;
/// The cache is cleared at this size, so that a million decisions need no more memory than a few thousand.
const KNOWN: usize = 50_000;

/// A transaction for many decisions, which [`PostgresStore::bulk`](crate::PostgresStore::bulk) opens.
#[derive(Debug)]
pub struct Bulk<'a> {
    transaction: Transaction<'a>,
    entered: usize,
    /// The failure after which the transaction must be rolled back.
    failure: Option<Fault>,
}

/// Work that has a transaction to itself.
pub(crate) trait Exclusive: Send {
    /// Runs the work; `false` rolls everything back.
    fn run(&mut self, bulk: &mut Bulk<'_>) -> bool;

    /// Delivers the result of the work, or the failure of its transaction.
    fn end(self: Box<Self>, transaction: Result<(), StoreError>);
}

/// A closure, and the caller that waits for its result.
pub(crate) struct Task<F, T, E> {
    run: Option<F>,
    made: Option<Result<T, E>>,
    answer: oneshot::Sender<Result<T, E>>,
}

impl<'a> Bulk<'a> {
    pub(crate) const fn new(transaction: Transaction<'a>) -> Self {
        Self { transaction, entered: 0, failure: None }
    }

    /// Returns the transaction, and the failure after which it must be rolled back.
    pub(crate) fn end(self) -> (Transaction<'a>, Option<Fault>) {
        (self.transaction, self.failure)
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
                    let found = self.transaction.load(&keys);
                    let found = found.map_err(|fault| self.fail(fault))?;
                    keys.into_iter().zip(found).for_each(|(key, found)| deciding.enter(key, found));
                }
                Step::Done(plan) => break plan,
                Step::Refused(error) => return Err(error),
            }
        };
        if plan.is_empty() {
            return Ok(None);
        }
        let entered = self.transaction.enter(act, plan);
        let seq = entered.map_err(|fault| self.fail(fault))?;
        self.write_if_due()?;
        Ok(Some(seq))
    }

    /// Loads what these decisions need together, as far as that can be known, and runs them in order.
    ///
    /// # Errors
    /// The store's failure, after which the whole transaction is rolled back.
    pub fn decide_each(&mut self, act: &Act, decisions: &mut [Decision]) -> Result<Vec<Decided>, StoreError> {
        let loaded = ahead::load(&mut self.transaction, decisions, |decision| Some(Next { turn: None, decision }));
        loaded.map_err(|fault| self.fail(fault))?;
        let decided = decisions.iter_mut().map(|decision| match self.decide(act, decision) {
            Err(Error::Store(failure)) => Err(failure),
            decided => Ok(decided),
        });
        decided.collect()
    }

    /// Appends entries exactly as they are.
    pub(crate) fn replay(&mut self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        ReplayError::unless_next(self.transaction.last(), &entries)?;
        if let Some(last) = entries.last() {
            let note = Request::new(keys::NOTE_REPLAYED, [last.seq.value().cast_signed().into()]);
            let noted = self.transaction.write([note]);
            noted.map_err(|fault| self.fail(fault))?;
        }
        for entry in entries {
            let entered = EntryRow::of(&entry).map_err(Fault::from).and_then(|row| self.transaction.append(row));
            entered.map_err(|fault| self.fail(fault))?;
            self.write_if_due()?;
        }
        Ok(())
    }

    /// Runs a decision about API keys.
    pub(crate) fn decide_keys(&mut self, decision: &mut KeyDecision) -> Result<(), StoreError> {
        let rows = self.transaction.query(Request::new(keys::SELECT, []));
        let decided = rows.and_then(|rows| keys::decide(decision, &keys::keys(&rows)?));
        let written = decided.and_then(|(kept, entry)| self.transaction.write(kept).map(|()| entry));
        match written.map_err(|fault| self.fail(fault))? {
            Some((act, mut entry)) => self.decide(&act, &mut entry).map(drop).map_err(StoreError::of_key_entry),
            None => Ok(()),
        }
    }

    /// Gives the database a new epoch.
    pub(crate) fn renew_epoch(&mut self) -> Result<Epoch, StoreError> {
        let epoch = Epoch::random();
        let renew = Request::new("UPDATE care SET epoch = $1", [i64::from(epoch.value()).into()]);
        let renewed = self.transaction.write([renew]);
        renewed.map_err(|fault| self.fail(fault))?;
        Ok(epoch)
    }

    fn write_if_due(&mut self) -> Result<(), StoreError> {
        self.entered += 1;
        if self.entered.is_multiple_of(TOGETHER) {
            let sent = self.transaction.send();
            sent.map_err(|fault| self.fail(fault))?;
        }
        if self.transaction.cache.len() > KNOWN {
            // Only what has been written can be loaded again.
            let sent = self.transaction.send();
            sent.map_err(|fault| self.fail(fault))?;
            self.transaction.cache.clear();
        }
        Ok(())
    }

    /// Returns the transaction, for work beyond decisions.
    pub(crate) const fn transaction(&mut self) -> &mut Transaction<'a> {
        &mut self.transaction
    }

    pub(crate) fn fail(&mut self, fault: Fault) -> StoreError {
        let kind = fault.kind();
        self.failure.get_or_insert(fault);
        kind.into()
    }
}

impl<F, T, E> Task<F, T, E> {
    pub(crate) fn new(run: F) -> (Self, oneshot::Receiver<Result<T, E>>) {
        let (answer, answered) = oneshot::channel();
        let task = Self { run: Some(run), made: None, answer };
        (task, answered)
    }
}

impl<F, T, E> Exclusive for Task<F, T, E>
where
    F: FnOnce(&mut Bulk<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, bulk: &mut Bulk<'_>) -> bool {
        self.made = self.run.take().map(|run| run(bulk));
        matches!(self.made, Some(Ok(_)))
    }

    fn end(self: Box<Self>, transaction: Result<(), StoreError>) {
        let made = match (transaction, self.made) {
            // The closure's own error says more than the end of its transaction.
            (_, Some(Err(refused))) => Err(refused),
            (Ok(()), Some(made)) => made,
            (Ok(()), None) => return,
            (Err(failure), _) => Err(failure.into()),
        };
        // The caller may have gone; the commit stands all the same.
        let _ = self.answer.send(made);
    }
}
