//! The journal: an append-only record of every change.

use std::{borrow::Cow, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};

use crate::{
    error::{StoreError, StoreErrorKind},
    model::Timestamp,
    operation::JournalOperation,
    store::{Change, Erased, Link, Record, RecordKey, Revision, Seq},
};

/// The actor, the operation and the time of a change, which a store writes into the entry beside the changes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Act {
    /// The name of the actor: that of an API key, or one that an embedding program chooses.
    pub actor: Arc<str>,
    /// The operation, whose name the entry gets.
    pub operation: JournalOperation,
    /// The instant of the change.
    pub at: Timestamp,
    /// The instant until which the caller waits; `None` for a caller without a limit. An undecided change is then
    /// abandoned.
    pub until: Option<Instant>,
}

impl Act {
    /// Returns the act of this actor, whose caller waits without a limit.
    pub fn new(actor: impl Into<Arc<str>>, operation: impl Into<JournalOperation>, at: Timestamp) -> Self {
        Self { actor: actor.into(), operation: operation.into(), at, until: None }
    }

    /// Returns the act with the instant until which its caller waits.
    #[must_use]
    pub fn until(mut self, until: Instant) -> Self {
        self.until = Some(until);
        self
    }

    /// Refuses an act whose caller no longer waits. A store calls this before it begins a decision and before each
    /// load, so that abandoned decisions delay no others.
    ///
    /// # Errors
    /// [`StoreErrorKind::Busy`]: nothing was written, and nothing will be.
    pub fn in_time(&self) -> Result<(), StoreError> {
        match self.until {
            Some(until) if Instant::now() >= until => Err(StoreErrorKind::Busy.into()),
            _ => Ok(()),
        }
    }
}

/// A committed decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The number of the entry.
    pub seq: Seq,
    /// The instant of the decision.
    pub at: Timestamp,
    /// The actor.
    pub actor: String,
    /// The name of the operation. An entry that another version wrote may have one that this version does not know; an
    /// audit refuses it.
    pub operation: Cow<'static, str>,
    /// The changes, in order.
    #[serde(rename = "changes")]
    pub revisions: Vec<Revision>,
    /// The records that were read, which may be absent. An entry has a change or a read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<RecordKey>,
    /// The values that an erasure has replaced; `None` in every other entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased: Option<Vec<Erased>>,
    /// The link of the chain, which reveals a change of this entry and of those before it.
    pub link: Link,
}

impl Entry {
    /// Returns the changes, in order.
    pub fn changes(&self) -> impl DoubleEndedIterator<Item = &Change> {
        self.revisions.iter().map(|revision| &revision.change)
    }

    /// Returns the changes that a store has to apply: all but the first of two puts of one reply, of which the second
    /// alone is stored.
    pub fn effects(&self) -> impl Iterator<Item = &Revision> {
        let is_put_again = |place: usize, revision: &Revision| {
            let next = self.revisions.get(place + 1).map(|next| &next.change);
            match (&revision.change, next) {
                (Change::Put(Record::Reply(reply)), Some(Change::Put(Record::Reply(next)))) => {
                    reply.reply_id == next.reply_id
                }
                _ => false,
            }
        };
        let effects =
            self.revisions.iter().enumerate().filter(move |(place, revision)| !is_put_again(*place, revision));
        effects.map(|(_, revision)| revision)
    }

    /// Returns whether the entry is empty, which no decision commits.
    pub const fn is_empty(&self) -> bool {
        self.revisions.is_empty() && self.reads.is_empty()
    }

    /// Returns the change that this entry made to a record, with the record's version before.
    pub(crate) fn revision_of(&self, key: &RecordKey) -> Option<&Revision> {
        self.revisions.iter().rfind(|revision| revision.change.key() == *key)
    }
}
