//! The time limit of a decision while others wait.

use std::time::{Duration, Instant};

use futures_channel::oneshot::Sender;

use super::queue::Answer;
use crate::{
    error::{StoreError, StoreErrorKind},
    store::Act,
};

/// The bounds of a decision that keeps others waiting.
#[derive(Debug, Clone, Copy)]
pub struct TurnLimits {
    /// The time after which a decision that has loaded more than [`Turn::ORDINARY`] keys is ended.
    pub time: Duration,
    /// The number of loads after which a decision is refused.
    pub loads: usize,
}

/// The turn of one decision on the thread of a store that writes, for stores: between two loads it ends a decision that
/// keeps the others waiting, or that no caller waits for.
#[derive(Debug)]
pub struct Turn<'a> {
    act: &'a Act,
    answer: &'a Sender<Answer>,
    limits: TurnLimits,
    since: Instant,
    keys: usize,
    loads: usize,
}

impl<'a> Turn<'a> {
    /// The number of keys up to which a decision is never ended for its time, since then the machine is slow.
    pub const ORDINARY: usize = 64;

    /// Factor by which an unoptimised program may take longer, which runs a decision several times as slowly.
    const PATIENCE: u32 = if cfg!(debug_assertions) { 8 } else { 1 };

    /// Begins a turn.
    ///
    /// # Errors
    /// [`StoreErrorKind::Busy`] when the caller no longer waits.
    pub fn begin(act: &'a Act, answer: &'a Sender<Answer>, limits: TurnLimits) -> Result<Self, StoreError> {
        let turn = Self { act, answer, limits, since: Instant::now(), keys: 0, loads: 0 };
        turn.is_wanted()?;
        Ok(turn)
    }

    /// Checks the turn before this number of keys is loaded together. Nothing is written yet.
    ///
    /// # Errors
    /// [`StoreErrorKind::Excessive`] after too many loads; [`StoreErrorKind::Busy`] when the decision has taken too
    /// long or its caller no longer waits.
    pub fn next(&mut self, keys: usize) -> Result<(), StoreError> {
        self.keys += keys;
        self.loads += 1;
        if self.loads > self.limits.loads {
            return Err(StoreErrorKind::Excessive.into());
        }
        if self.keys > Self::ORDINARY && self.since.elapsed() > self.limits.time * Self::PATIENCE {
            tracing::warn!(operation = self.act.operation.name(), "a decision took too long and was ended");
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
