//! The append-only account of every change.

use std::{borrow::Cow, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};

use super::{Change, RecordKey, Revision, Seq};
use crate::{
    error::{StoreError, StoreErrorKind},
    model::Timestamp,
};

/// Who does what, and when: what a store writes into the entry beside the changes.
#[derive(Debug, Clone)]
pub struct Act {
    /// Who acts: the name of an API key, or what an embedding program calls itself.
    pub actor: Arc<str>,
    /// The operation's identifier in the OpenAPI document, or another for which [`is_operation`](super::is_operation)
    /// holds: an audit refuses a journal that names any other.
    pub operation: &'static str,
    /// When.
    pub at: Timestamp,
    /// Until when its caller waits for it; without end if absent. What was not decided by then is not decided later.
    pub until: Option<Instant>,
}

impl Act {
    /// Refuses an act whose caller waits for it no longer. A store asks before it begins a decision and before each
    /// load, so that nobody else waits for what nobody wants.
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

/// One committed decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number.
    pub seq: Seq,
    /// When it was decided.
    pub at: Timestamp,
    /// Who acted.
    pub actor: String,
    /// The operation, as its [`Act`] names it.
    pub operation: Cow<'static, str>,
    /// What was changed, in order.
    #[serde(rename = "changes")]
    pub revisions: Vec<Revision>,
    /// Which records were read, whether or not they are there. An entry changes something or notes a read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<RecordKey>,
}

impl Entry {
    /// Returns what was changed, in order.
    pub fn changes(&self) -> impl DoubleEndedIterator<Item = &Change> {
        self.revisions.iter().map(|revision| &revision.change)
    }

    /// Returns whether the entry says nothing, as no decision has ever committed.
    pub const fn is_empty(&self) -> bool {
        self.revisions.is_empty() && self.reads.is_empty()
    }

    /// What this entry made of a record, and the version that the record had before.
    pub(crate) fn revision_of(&self, key: &RecordKey) -> Option<&Revision> {
        self.revisions.iter().rfind(|revision| revision.change.key() == *key)
    }
}
