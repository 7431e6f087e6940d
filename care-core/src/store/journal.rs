//! The append-only account of every change.

use std::{borrow::Cow, fmt, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};

use super::{Change, RecordKey};
use crate::{
    error::{StoreError, StoreErrorKind},
    model::Timestamp,
};

/// The number of a journal entry, from 1, and so the version of every record that the entry put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(u64);

impl Seq {
    /// Before the first entry.
    pub const ZERO: Self = Self(0);

    /// The entry with this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn value(self) -> u64 {
        self.0
    }

    /// The entry after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

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
    /// What was changed, in order, or which record was read. Never empty.
    pub changes: Vec<Change>,
    /// For each change the version that the record had before the entry, [`Seq::ZERO`] when there was none; a record
    /// that was only read still has it. Empty in entries from before this was noted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Seq>,
}

impl Entry {
    /// What this entry made of a record, and the version that the record had before.
    pub(crate) fn change_of(&self, key: &RecordKey) -> Option<(&Change, Seq)> {
        let changes = |change: &Change| !matches!(change, Change::Read(_)) && change.key() == *key;
        let place = self.changes.iter().rposition(changes)?;
        Some((&self.changes[place], self.replaced.get(place).copied().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Patient, PatientId};

    #[test]
    fn reading_a_record_makes_nothing_of_it() {
        let key = RecordKey::Patient(PatientId::FIRST);
        let put = Change::put(Patient::new(PatientId::FIRST));
        let entry = |changes: Vec<Change>| Entry {
            seq: Seq::new(7),
            at: "2026-03-15T12:00:00Z".parse().unwrap(),
            actor: "tests".to_owned(),
            operation: "getPatient".into(),
            replaced: vec![Seq::new(3); changes.len()],
            changes,
        };
        let both = entry(vec![put.clone(), Change::Read(key.clone())]);
        assert_eq!(both.change_of(&key), Some((&put, Seq::new(3))));
        assert_eq!(entry(vec![Change::Read(key.clone())]).change_of(&key), None);
    }
}
