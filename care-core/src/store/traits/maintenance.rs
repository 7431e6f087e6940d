//! Maintenance of a store as a whole.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;

use crate::{
    error::{Error, StoreError, StoreErrorKind},
    store::{Act, Decision, Entry, Limit, Portion, Query, Record, Seq, Versioned},
};

/// Work that has a transaction to itself. Its changes are kept when it returns `Ok`, and taken back otherwise.
pub type Work = Box<dyn FnOnce(&mut dyn Transaction) -> Result<(), Error> + Send>;

/// The result of one decision: the entry's `seq`, `None` when nothing changed, or the refusal.
pub type Decided = Result<Option<Seq>, Error>;

/// Work on a store as a whole, of which a store may be capable: see
/// [`Journal::maintenance`](crate::store::Journal::maintenance).
///
/// # Contract
/// - [`alone`](Self::alone) runs the work in one transaction that no other write interleaves with. Everything that the
///   work has done becomes durable and visible together when it returns `Ok`, and nothing of it when it returns an
///   error or panics. The work may block, so a store runs it where that is allowed.
/// - After the work's own [`StoreError`] nothing of the transaction is kept, even when the work returns `Ok`.
/// - Reads are answered meanwhile, as they are beside a decision.
#[async_trait]
pub trait Maintenance: Send + Sync {
    /// Runs the work. Other writers wait meanwhile, so it should be over soon.
    ///
    /// # Errors
    /// The work's own error, or the store's failure.
    async fn alone(&self, work: Work) -> Result<(), Error>;

    /// Looks over everything that the store keeps, from one moment: that each value is as the store writes it.
    ///
    /// Whether the records and the journal tell the same story is [`audit::verify`](crate::audit::verify)'s to say.
    ///
    /// # Errors
    /// The first damage that is found, or the store's failure.
    async fn check(&self) -> Result<(), CheckError>;

    /// Removes what the store still has of records and entries that were changed, removed or rewritten: free pages and
    /// logs, for example. Interrupted, it is to be repeated.
    ///
    /// # Errors
    /// The store's failure: then something may be left.
    async fn scrub(&self) -> Result<(), StoreError>;
}

/// A transaction that has the store to itself. Its methods see what those before them have done.
pub trait Transaction {
    /// Runs a decision, without the limit of what one may load. Returns the entry's `seq`, `None` when nothing changed.
    ///
    /// # Errors
    /// The decision's own refusal, which leaves the rest of the transaction as it is; or the store's failure.
    fn decide(&mut self, act: &Act, decision: &mut Decision) -> Result<Option<Seq>, Error>;

    /// Runs these decisions in their order, and returns the result of each. A store may load what they need
    /// together.
    ///
    /// # Errors
    /// The store's failure.
    fn decide_each(&mut self, act: &Act, decisions: &mut [Decision]) -> Result<Vec<Decided>, StoreError> {
        let decided = decisions.iter_mut().map(|decision| match self.decide(act, decision) {
            Err(Error::Store(failure)) => Err(failure),
            decided => Ok(decided),
        });
        decided.collect()
    }

    /// Returns what [`Records::list`](crate::store::Records::list) returns.
    ///
    /// # Errors
    /// The store's failure.
    fn list(&mut self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError>;

    /// Returns what [`Journal::journal`](crate::store::Journal::journal) returns.
    ///
    /// # Errors
    /// The store's failure.
    fn journal(&mut self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError>;

    /// Puts an entry in the place of the one with its number. No record changes.
    ///
    /// # Errors
    /// The store's failure.
    fn rewrite(&mut self, entry: &Entry) -> Result<(), StoreError>;
}

impl dyn Maintenance + '_ {
    /// Runs work in a transaction of its own and returns its result.
    ///
    /// # Errors
    /// The work's own error, or the store's failure.
    pub async fn transaction<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Transaction) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        // The store may run the work on another thread, so the result is left where both sides find it.
        let result = Arc::new(Mutex::new(None));
        let left = Arc::clone(&result);
        let work = move |transaction: &mut dyn Transaction| {
            *left.lock().unwrap_or_else(PoisonError::into_inner) = Some(work(transaction)?);
            Ok(())
        };
        self.alone(Box::new(work)).await?;
        let result = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        result.ok_or_else(|| Error::Store(StoreErrorKind::Broken.into()))
    }
}

/// Runs work in a transaction, for stores: a panic in it becomes the store's failure.
///
/// # Errors
/// The work's own error, and [`StoreErrorKind::Broken`] when it panics: then the transaction is to be rolled back.
pub fn drive_work(work: Work, transaction: &mut dyn Transaction) -> Result<(), Error> {
    catch_unwind(AssertUnwindSafe(|| work(transaction)))
        .unwrap_or_else(|_| Err(Error::Store(StoreErrorKind::Broken.into())))
}

/// The reason why a check ended early.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// Something that the store keeps is not as it writes it.
    #[error(transparent)]
    Damage(#[from] Damage),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A place where what a store keeps is not as the store writes it. It holds no value but the row's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The table, when it is known.
    pub table: Option<String>,
    /// The row's key, when it is known.
    pub row: Option<String>,
    /// The fault.
    pub what: String,
}

impl Damage {
    /// Returns damage in this table, and in this row when it is known.
    pub fn of(table: &str, row: impl Into<Option<String>>, what: impl Into<String>) -> Self {
        Self { table: Some(table.to_owned()), row: row.into(), what: what.into() }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.table, &self.row) {
            (Some(table), Some(row)) => write!(f, "table {table}, row {row}: {}", self.what),
            (Some(table), None) => write!(f, "table {table}: {}", self.what),
            _ => self.what.fmt(f),
        }
    }
}

impl std::error::Error for Damage {}
