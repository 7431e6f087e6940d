//! The time limit of a decision while others wait.

use std::time::Duration;

use care_core::{
    error::StoreError,
    store::{Act, Turn, TurnLimits},
};
use futures_channel::oneshot;

use crate::writer::Answer;

/// Another process may wait for the lock of the file meanwhile, and must be able to end a key within a second. A load takes
/// no time to speak of, so its number has no limit.
const LIMITS: TurnLimits = TurnLimits { time: Duration::from_millis(500), loads: usize::MAX };

/// Begins the turn of a decision on the writing thread, unless its caller no longer waits.
pub(crate) fn begin<'a>(
    act: &'a Act,
    answer: &'a oneshot::Sender<Answer>,
) -> Result<Turn<'a, oneshot::Sender<Answer>>, StoreError> {
    Turn::begin(act, answer, oneshot::Sender::is_canceled, LIMITS)
}
