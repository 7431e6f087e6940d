//! The time limit of a decision while others wait.

use std::time::{Duration, Instant};

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::Act,
};
use futures_channel::oneshot;

use crate::writer::Answer;

/// The time after which a decision that has loaded more than [`ORDINARY`] keys is ended. Another process may wait for
/// the lock of the file meanwhile, and must be able to end a key within a second.
const LONGEST: Duration = Duration::from_millis(500);

/// The number of keys up to which a decision is never ended for its time, since then the machine is slow.
const ORDINARY: usize = 64;

/// The turn of one decision on the writing thread.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    act: &'a Act,
    answer: &'a oneshot::Sender<Answer>,
    since: Instant,
    loads: usize,
}

impl<'a> Turn<'a> {
    /// Begins a turn, unless its caller no longer waits.
    pub(crate) fn begin(act: &'a Act, answer: &'a oneshot::Sender<Answer>) -> Result<Self, StoreError> {
        let turn = Self { act, answer, since: Instant::now(), loads: 0 };
        turn.is_wanted()?;
        Ok(turn)
    }

    /// Checks the turn before each load: ends a decision that has taken too long, or whose caller no longer waits.
    /// Nothing is written yet.
    pub(crate) fn next(&mut self) -> Result<(), StoreError> {
        self.loads += 1;
        if self.loads > ORDINARY && self.since.elapsed() > LONGEST {
            tracing::warn!(operation = self.act.operation, "a decision took too long and was ended");
            return Err(StoreErrorKind::Busy.into());
        }
        self.is_wanted()
    }

    /// Returns an error when its caller is gone or no longer waits.
    fn is_wanted(&self) -> Result<(), StoreError> {
        if self.answer.is_canceled() {
            return Err(StoreErrorKind::Busy.into());
        }
        self.act.in_time()
    }
}
