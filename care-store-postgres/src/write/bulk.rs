//! Many decisions, or entries of another journal, in one transaction.

use care_core::{
    error::{Error, StoreError},
    store::{Act, Decided, Deciding, Decision, Entry, Epoch, KeyDecision, ReplayError, Step},
};
use futures_channel::oneshot;

use super::{
    ahead::{self, Next},
    transaction::Transaction,
};
use crate::{base::error::Fault, connect::session::Request, read::keys};

/// The number of entries that are written together, while the next ones are decided.
const TOGETHER: usize = 500;
/// When this much is known, it is forgotten: a million decisions take no more memory than a few thousand.
const KNOWN: usize = 50_000;

/// One transaction for many decisions, as [`PostgresStore::bulk`](crate::PostgresStore::bulk) opens it.
#[derive(Debug)]
pub struct Bulk<'a> {
    transaction: Transaction<'a>,
    entered: usize,
    /// After this nothing of the transaction is kept.
    failure: Option<Fault>,
}

/// Work that has a transaction to itself.
pub(crate) trait Alone: Send {
    /// Does it; `false` takes everything back.
    fn run(&mut self, bulk: &mut Bulk<'_>) -> bool;

    /// Hands over what came of it, or the failure of the transaction.
    fn end(self: Box<Self>, transaction: Result<(), StoreError>);
}

/// A closure, and who waits for it.
pub(crate) struct Task<F, T, E> {
    run: Option<F>,
    made: Option<Result<T, E>>,
    answer: oneshot::Sender<Result<T, E>>,
}

impl<'a> Bulk<'a> {
    pub(crate) const fn new(transaction: Transaction<'a>) -> Self {
        Self { transaction, entered: 0, failure: None }
    }

    /// Returns the transaction, and the failure after which nothing of it is kept.
    pub(crate) fn end(self) -> (Transaction<'a>, Option<Fault>) {
        (self.transaction, self.failure)
    }

    /// Runs a decision, which sees what those before it did. Answers the entry's `seq`, `None` when nothing changed.
    ///
    /// # Errors
    /// The decision's own refusal, which leaves the others standing; or the store's failure, after which nothing of
    /// the transaction is kept.
    pub fn decide(&mut self, act: &Act, decision: &mut Decision) -> Decided {
        // It has the store to itself, for as long as it takes.
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

    /// Loads what these decisions need together, as far as it can be known, and runs them in their order.
    ///
    /// # Errors
    /// The store's failure, after which nothing of the transaction is kept.
    pub fn decide_each(&mut self, act: &Act, decisions: &mut [Decision]) -> Result<Vec<Decided>, StoreError> {
        let loaded = ahead::load(&mut self.transaction, decisions, |decision| Some(Next { turn: None, decision }));
        loaded.map_err(|fault| self.fail(fault))?;
        let decided = decisions.iter_mut().map(|decision| match self.decide(act, decision) {
            Err(Error::Store(failure)) => Err(failure),
            decided => Ok(decided),
        });
        decided.collect()
    }

    /// Appends entries to the letter.
    pub(crate) fn replay(&mut self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        ReplayError::unless_next(self.transaction.last(), &entries)?;
        for entry in entries {
            let entered = self.transaction.append(entry);
            entered.map_err(|fault| self.fail(fault))?;
            self.write_if_due()?;
        }
        Ok(())
    }

    /// Runs a decision about keys.
    pub(crate) fn decide_keys(&mut self, decision: &mut KeyDecision) -> Result<(), StoreError> {
        let rows = self.transaction.query(Request::new(keys::SELECT, []));
        let kept = rows.and_then(|rows| keys::decide(decision, &keys::keys(&rows)?));
        let written = kept.and_then(|kept| self.transaction.write(kept));
        written.map_err(|fault| self.fail(fault))
    }

    /// Draws another epoch.
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
            // Only what was written can be loaded again.
            let sent = self.transaction.send();
            sent.map_err(|fault| self.fail(fault))?;
            self.transaction.cache.clear();
        }
        Ok(())
    }

    /// Returns the transaction, for more than decisions.
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

impl<F, T, E> Alone for Task<F, T, E>
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
            // A refusal of the closure itself says more than the end of its transaction.
            (_, Some(Err(refused))) => Err(refused),
            (Ok(()), Some(made)) => made,
            (Ok(()), None) => return,
            (Err(failure), _) => Err(failure.into()),
        };
        // The caller may have gone; the commit stands all the same.
        let _ = self.answer.send(made);
    }
}
