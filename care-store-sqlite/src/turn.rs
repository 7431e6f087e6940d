//! How long a decision may keep the others waiting.

use std::time::{Duration, Instant};

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::Act,
};
use futures_channel::oneshot;

use crate::writer::Answer;

/// A decision that has loaded more than [`ORDINARY`] keys is ended after this time. Another process waits for the lock of
/// the file meanwhile, and ending a key must not take it longer than a second.
const LONGEST: Duration = Duration::from_millis(500);

/// No decision that loads up to this number of keys is ended for the time that it takes: that is the machine's fault.
const ORDINARY: usize = 64;

/// The time of one decision on the thread that writes.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    act: &'a Act,
    answer: &'a oneshot::Sender<Answer>,
    since: Instant,
    loads: usize,
}

impl<'a> Turn<'a> {
    /// Begins a turn, unless nobody waits for it any longer.
    pub(crate) fn begin(act: &'a Act, answer: &'a oneshot::Sender<Answer>) -> Result<Self, StoreError> {
        let turn = Self { act, answer, since: Instant::now(), loads: 0 };
        turn.is_wanted()?;
        Ok(turn)
    }

    /// Asked before each load: ends a decision that has taken too long, or that its caller waits for no longer. It has
    /// written nothing yet.
    pub(crate) fn next(&mut self) -> Result<(), StoreError> {
        self.loads += 1;
        if self.loads > ORDINARY && self.since.elapsed() > LONGEST {
            tracing::warn!(operation = self.act.operation, "a decision took too long and was ended");
            return Err(StoreErrorKind::Busy.into());
        }
        self.is_wanted()
    }

    /// Whether its caller has neither gone nor waited for as long as it would.
    fn is_wanted(&self) -> Result<(), StoreError> {
        if self.answer.is_canceled() {
            return Err(StoreErrorKind::Busy.into());
        }
        self.act.in_time()
    }
}
