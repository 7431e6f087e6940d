//! The time limit of a decision while others wait.

use std::time::Duration;

use care_core::{
    error::{Error, StoreError},
    store::{self, Act, Seq, TurnLimits},
};
use futures_channel::oneshot;

/// Every server waits for the lock meanwhile. Each load is a round trip, and the use cases need five at most.
const LIMITS: TurnLimits = TurnLimits { time: Duration::from_secs(2), loads: 1_000 };

/// The result of a decision: the number of its entry, if it has one.
pub(crate) type Answer = Result<Option<Seq>, Error>;

/// A decision's turn on the writing thread.
pub(crate) type Turn<'a> = store::Turn<'a, oneshot::Sender<Answer>>;

/// Begins a turn, unless the caller no longer waits.
pub(crate) fn begin<'a>(act: &'a Act, answer: &'a oneshot::Sender<Answer>) -> Result<Turn<'a>, StoreError> {
    Turn::begin(act, answer, oneshot::Sender::is_canceled, LIMITS)
}
