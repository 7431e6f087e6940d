//! The time for which a decision may keep the others waiting.

use std::time::{Duration, Instant};

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::Act,
};
use futures_channel::oneshot;

use crate::writer::Answer;

/// A decision that has loaded more than [`ORDINARY`] keys is ended after this time: every server waits for the lock.
const LONGEST: Duration = Duration::from_secs(2);

/// A decision that asks more often than this is refused. Each time is a round trip, and the use cases take five at most.
const MOST: usize = 1_000;

/// No decision that loads up to this number of keys is ended for the time that it takes: that is the machine's fault.
const ORDINARY: usize = 64;

/// The time of one decision on the thread that writes.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    act: &'a Act,
    answer: &'a oneshot::Sender<Answer>,
    since: Instant,
    loads: usize,
    trips: usize,
}

impl<'a> Turn<'a> {
    /// Begins a turn, unless its caller no longer waits for it.
    pub(crate) fn begin(act: &'a Act, answer: &'a oneshot::Sender<Answer>) -> Result<Self, StoreError> {
        let turn = Self { act, answer, since: Instant::now(), loads: 0, trips: 0 };
        turn.is_wanted()?;
        Ok(turn)
    }

    /// Ends a decision, before it loads this number of keys, that asks too often or has taken too long, or that its caller
    /// no longer waits for. It has written nothing yet.
    pub(crate) fn next(&mut self, keys: usize) -> Result<(), StoreError> {
        self.loads += keys;
        self.trips += 1;
        if self.trips > MOST {
            return Err(StoreErrorKind::Excessive.into());
        }
        if self.loads > ORDINARY && self.since.elapsed() > LONGEST {
            tracing::warn!(operation = self.act.operation, "a decision took too long and was ended");
            return Err(StoreErrorKind::Busy.into());
        }
        self.is_wanted()
    }

    /// Returns whether its caller has neither gone nor waited for as long as it would.
    fn is_wanted(&self) -> Result<(), StoreError> {
        if self.answer.is_canceled() {
            return Err(StoreErrorKind::Busy.into());
        }
        self.act.in_time()
    }
}
