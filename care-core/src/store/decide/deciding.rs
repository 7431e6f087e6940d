//! Decisions, and running them step by step.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{
    error::{Error, StoreError, StoreErrorKind},
    store::{Key, Keys, Lookup, Outcome, Plan, Seen, Stop, Term},
};

/// A use case in the form that a store runs: a function from the seen records to the changes.
///
/// It is pure: it may run any number of times, and only the last run counts.
pub type Decision = Box<dyn FnMut(&Seen) -> Result<Outcome, Stop> + Send>;

/// A read in the form that a store runs. It borrows, so it can write its answer into a variable of the caller, and it
/// may [take](Seen::take) records for its answer.
pub type Question<'a> = dyn FnMut(&mut Seen) -> Result<(), Stop> + Send + 'a;

/// A decision or a question that is run step by step: it is run until it needs keys, the store loads them, and it is
/// run again.
///
/// [`decide`](crate::store::decide), [`drive`](crate::store::drive) and their async forms are loops around it. A store
/// writes the loop itself where it has other work between two steps, such as waiting for its database:
///
/// ```
/// use care_core::{
///     error::{Error, StoreError},
///     store::{Deciding, Decision, Lookup, Key, Outcome, Plan, Step},
/// };
///
/// async fn decide_slowly(mut decision: Decision) -> Result<Plan, Error> {
///     let mut deciding = Deciding::of(&mut decision);
///     loop {
///         match deciding.step() {
///             Step::Need(keys) => {
///                 let found = load(&keys).await?;
///                 keys.into_iter().zip(found).for_each(|(key, found)| deciding.enter(key, found));
///             }
///             Step::Done(plan) => return Ok(plan),
///             Step::Refused(error) => return Err(error),
///         }
///     }
/// }
///
/// async fn load(keys: &[Key]) -> Result<Vec<Lookup>, StoreError> {
///     Ok(keys.iter().map(|_| Lookup::None).collect())
/// }
/// # let decided = decide_slowly(Box::new(|_| Ok(Outcome::default())));
/// # assert_eq!(futures_executor::block_on(decided)?, Plan::default());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a decision does not run until a step is taken"]
pub struct Deciding<F> {
    run: F,
    seen: Seen,
    asked: usize,
    limit: usize,
}

/// The state of a decision after a step.
#[derive(Debug)]
#[must_use = "a decision that needs keys has not ended"]
pub enum Step<T> {
    /// It needs these keys. [Enter](Deciding::enter) their records and take the next step.
    Need(Keys),
    /// It has ended with this result.
    Done(T),
    /// It refuses, or failed.
    Refused(Error),
}

impl<F> Deciding<F> {
    /// The highest number of keys and records, counted together, that one decision may load. A step beyond it is
    /// refused as [`StoreErrorKind::Excessive`].
    ///
    /// The most expensive use case voids a patient: it loads every visit, prescription and diagnosis. The limit is
    /// reached by three visits a week for 60 years, and a store loads as many records within a third of a second.
    pub const LIMIT: usize = 30_000;

    /// Returns the first state of a question, or of any other function of the seen records.
    pub fn new(run: F) -> Self {
        Self { run, seen: Seen::default(), asked: 0, limit: Self::LIMIT }
    }

    /// Removes the [limit](Self::LIMIT), for work without concurrent decisions.
    pub fn unlimited(self) -> Self {
        Self { limit: usize::MAX, ..self }
    }

    /// Returns how many records may still be found. A store that would find more under a key need not load them: it
    /// answers [`Lookup::TooMany`], and the next step is refused.
    pub fn room(&self) -> usize {
        self.limit.saturating_sub(self.asked).saturating_sub(self.seen.found())
    }

    /// Takes in what the store found under a key.
    pub fn enter(&mut self, key: Key, found: Lookup) {
        self.seen.enter(key, found);
    }
}

impl<T, F: FnMut(&mut Seen) -> Result<T, Stop>> Deciding<F> {
    /// Runs it until it ends or needs more. A panic becomes a refusal, so that only its own transaction is lost.
    ///
    /// It is refused as [`StoreErrorKind::Unsupported`] when it asks for a selection of records that a store may
    /// [write late](crate::store::RecordKind::is_written_late): the rows may be those of before the batch.
    pub fn step(&mut self) -> Step<T> {
        if self.asked.saturating_add(self.seen.found()) > self.limit {
            return refused(StoreErrorKind::Excessive.into());
        }
        let Self { run, seen, .. } = self;
        // A broken state is dropped with its transaction.
        match catch_unwind(AssertUnwindSafe(|| run(seen))) {
            Ok(Ok(done)) => Step::Done(done),
            Ok(Err(Stop::Need(keys))) if keys.iter().any(is_of_late_rows) => {
                refused(StoreError::new(StoreErrorKind::Unsupported, LateRows))
            }
            Ok(Err(Stop::Need(keys))) => {
                self.asked += keys.len();
                if self.asked.saturating_add(self.seen.found()) > self.limit {
                    return refused(StoreErrorKind::Excessive.into());
                }
                Step::Need(keys)
            }
            Ok(Err(Stop::Refuse(error))) => Step::Refused(error),
            Err(_) => refused(StoreError::new(StoreErrorKind::Broken, Panicked)),
        }
    }
}

impl<T, F: FnMut(&mut Seen) -> Result<T, Stop>> Deciding<F> {
    /// Takes all remaining steps, loading one key after the other.
    ///
    /// # Errors
    /// The refusal, or the failure of `load`, which ends it.
    pub fn finish(self, mut load: impl FnMut(&Key) -> Result<Lookup, StoreError>) -> Result<T, Error> {
        self.finish_within(|key, _| load(key))
    }

    /// [`finish`](Self::finish) for stores that stop loading where the [room](Self::room) ends: `load` is told how many
    /// records there is room for.
    ///
    /// # Errors
    /// The refusal, or the failure of `load`, which ends it.
    pub fn finish_within(
        mut self,
        mut load: impl FnMut(&Key, usize) -> Result<Lookup, StoreError>,
    ) -> Result<T, Error> {
        loop {
            match self.step() {
                Step::Need(keys) => {
                    for key in keys {
                        let found = load(&key, self.room())?;
                        self.enter(key, found);
                    }
                }
                Step::Done(done) => return Ok(done),
                Step::Refused(error) => return Err(error),
            }
        }
    }

    /// Takes all remaining steps like [`finish`](Self::finish), with async loading. `load` returns the records of all
    /// given keys in their order.
    ///
    /// # Errors
    /// The refusal, or the failure of `load`, which ends it.
    pub async fn finish_async(
        mut self,
        mut load: impl AsyncFnMut(&[Key]) -> Result<Vec<Lookup>, StoreError>,
    ) -> Result<T, Error> {
        loop {
            match self.step() {
                Step::Need(keys) => {
                    let found = load(&keys).await?;
                    keys.into_iter().zip(found).for_each(|(key, found)| self.enter(key, found));
                }
                Step::Done(done) => return Ok(done),
                Step::Refused(error) => return Err(error),
            }
        }
    }
}

impl Deciding<()> {
    /// Returns the first state of a decision. It ends with its plan: the changes, and the version of every changed
    /// record.
    pub fn of(decision: &mut Decision) -> Deciding<impl FnMut(&mut Seen) -> Result<Plan, Stop> + Send + use<'_>> {
        let mut wanted: Option<Outcome> = None;
        Deciding::new(move |seen: &mut Seen| {
            // The decision is not run again after the versions are loaded, since it did not ask for them.
            let outcome = wanted.take().map_or_else(|| decision(seen), Ok)?;
            match Plan::replaced(&outcome, seen) {
                Ok(replaced) => Ok(Plan::settle(outcome, replaced)),
                Err(keys) => {
                    wanted = Some(outcome);
                    Err(Stop::Need(keys))
                }
            }
        })
    }
}

fn refused<T>(error: StoreError) -> Step<T> {
    Step::Refused(error.into())
}

/// Returns whether the answer to a key depends on rows that may be written late.
fn is_of_late_rows(key: &Key) -> bool {
    let Key::Rows(selection, _) = key else { return false };
    let is_late = |term: &Term| matches!(term, Term::Among(_, other, _) if other.kind.is_written_late());
    selection.kind.is_written_late() || selection.terms.iter().any(is_late)
}

/// The error for a selection of records that may be written late.
#[derive(Debug, thiserror::Error)]
#[error("such records are found by their keys alone")]
struct LateRows;

/// The error for a decision that panicked.
#[derive(Debug, thiserror::Error)]
#[error("a decision panicked")]
struct Panicked;
