//! Work that waits for the writing thread.

use std::time::Instant;

use care_core::{
    error::StoreError,
    store::{Act, Decision, QueuePlace},
};
use futures_channel::oneshot;

use super::{bulk::Exclusive, turn::Answer};

/// Work that waits for its turn.
pub(crate) struct Job {
    pub(crate) since: Instant,
    pub(crate) work: Work,
    pub(crate) place: QueuePlace,
}

pub(crate) enum Work {
    /// A decision, which shares its commit with others, and the caller that waits for it.
    Decide(Waiting),
    /// Work that has a transaction to itself.
    Exclusive(Box<dyn Exclusive>),
}

/// A decision, and the caller that waits for it.
pub(crate) struct Waiting {
    pub(crate) act: Act,
    pub(crate) decision: Decision,
    pub(crate) answer: oneshot::Sender<Answer>,
}

impl Job {
    pub(crate) fn fail(self, error: &StoreError) {
        match self.work {
            Work::Decide(waiting) => drop(waiting.answer.send(Err(error.clone().into()))),
            Work::Exclusive(work) => work.end(Err(error.clone())),
        }
    }
}
