//! A decision, a step at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Decision, Found, Key, Keys, Outcome, Plan, Seen, Stop};
use crate::error::{Error, StoreError, StoreErrorKind};

/// A decision or a question on its way to its end: it is run until it needs keys, the store loads them, and it is run
/// again.
///
/// [`decide`](super::decide), [`drive`](super::drive) and their forms that wait are loops around it. A store writes the
/// loop itself where it wants to do something between two steps, such as waiting for its database:
///
/// ```
/// use care_core::{
///     error::{Error, StoreError},
///     store::{Deciding, Decision, Found, Key, Outcome, Plan, Step},
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
/// async fn load(keys: &[Key]) -> Result<Vec<Found>, StoreError> {
///     Ok(keys.iter().map(|_| Found::None).collect())
/// }
/// # let decided = decide_slowly(Box::new(|_| Ok(Outcome::default())));
/// # assert_eq!(futures_executor::block_on(decided)?, Plan::default());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Deciding<F> {
    run: F,
    seen: Seen,
    asked: usize,
    limit: usize,
}

/// Where a decision stands after a step.
#[derive(Debug)]
#[must_use = "a decision that needs keys has not ended"]
pub enum Step<T> {
    /// It needs what these keys mean. [Enter](Deciding::enter) it and take the next step.
    Need(Keys),
    /// It has ended with this.
    Done(T),
    /// It refuses, or failed.
    Refused(Error),
}

impl<F> Deciding<F> {
    /// The most that one decision may load, as the number of the keys that it asks for and of the records that are
    /// found under them. A step that would go beyond is refused as [`StoreErrorKind::Excessive`].
    ///
    /// The dearest use case within the limits of the model withdraws 1,000 active prescriptions and takes about 5,000.
    /// Ten thousand are loaded within a tenth of a second, so nobody else's write waits longer for it.
    pub const LIMIT: usize = 10_000;

    /// A question, or whatever else runs on what it has seen.
    pub fn new(run: F) -> Self {
        Self { run, seen: Seen::default(), asked: 0, limit: Self::LIMIT }
    }

    /// The same without a [limit](Self::LIMIT), for work that has the store to itself.
    #[must_use]
    pub fn unlimited(self) -> Self {
        Self { limit: usize::MAX, ..self }
    }

    /// Returns how many records may still be found. A store that would find more under a key need not load them: it
    /// answers [`Found::TooMany`], and the next step is refused.
    pub fn room(&self) -> usize {
        self.limit.saturating_sub(self.asked).saturating_sub(self.seen.found())
    }

    /// Takes in what the store found under a key.
    pub fn enter(&mut self, key: Key, found: Found) {
        self.seen.enter(key, found);
    }
}

impl<T, F: FnMut(&mut Seen) -> Result<T, Stop>> Deciding<F> {
    /// Runs it until it ends or needs more. A panic in it becomes a refusal, so that it costs its own transaction and
    /// nothing else.
    pub fn step(&mut self) -> Step<T> {
        if self.asked.saturating_add(self.seen.found()) > self.limit {
            return refused(StoreErrorKind::Excessive.into());
        }
        let Self { run, seen, .. } = self;
        // Whatever state it leaves behind is thrown away with its transaction.
        match catch_unwind(AssertUnwindSafe(|| run(seen))) {
            Ok(Ok(done)) => Step::Done(done),
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
    /// Takes all steps that are left, loading one key after the other.
    ///
    /// # Errors
    /// The refusal, or the failure of `load`, which ends it.
    pub fn finish(self, mut load: impl FnMut(&Key) -> Result<Found, StoreError>) -> Result<T, Error> {
        self.finish_within(|key, _| load(key))
    }

    /// [`finish`](Self::finish) for stores that stop loading where the [room](Self::room) ends: `load` is told how many
    /// records there is room for.
    ///
    /// # Errors
    /// The refusal, or the failure of `load`, which ends it.
    pub fn finish_within(mut self, mut load: impl FnMut(&Key, usize) -> Result<Found, StoreError>) -> Result<T, Error> {
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

    /// [`finish`](Self::finish) for stores whose loading waits. `load` answers each of the keys that it is given, in
    /// their order.
    ///
    /// # Errors
    /// The refusal, or the failure of `load`, which ends it.
    pub async fn finish_async(
        mut self,
        mut load: impl AsyncFnMut(&[Key]) -> Result<Vec<Found>, StoreError>,
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
    /// A decision, which ends with its plan: what it wants changed, and the version of every record that it changes.
    pub fn of(decision: &mut Decision) -> Deciding<impl FnMut(&mut Seen) -> Result<Plan, Stop> + Send + use<'_>> {
        let mut wanted: Option<Outcome> = None;
        Deciding::new(move |seen: &mut Seen| {
            // It is not run again for the versions, which it did not ask for.
            let outcome = wanted.take().map_or_else(|| decision(seen), Ok)?;
            match Plan::unseen(&outcome, seen) {
                None => Ok(Plan::settle(outcome, seen)),
                Some(keys) => {
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

/// A decision panicked.
#[derive(Debug, thiserror::Error)]
#[error("a decision panicked")]
struct Panicked;
