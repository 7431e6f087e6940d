//! The findings of an audit.

use std::{borrow::Cow, fmt};

use crate::{
    error::StoreError,
    store::{RecordKey, Seq},
};

/// The reason why an audit ended early.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuditError {
    /// The store contradicts itself.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A place where the store contradicts itself. It names fields, and never contains a value of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The kind of record by its name in the journal; `Journal` when the journal itself is at fault.
    pub kind: &'static str,
    /// The identifier of the record within its kind; for the journal, the number of the missing entry.
    pub id: String,
    /// The journal entry that caused it; `None` when no single one did.
    pub entry: Option<Seq>,
    /// The fault.
    pub what: Cow<'static, str>,
}

impl Contradiction {
    pub(super) fn of(key: impl Into<RecordKey>, what: impl Into<Cow<'static, str>>) -> Self {
        let key = key.into();
        Self { kind: key.kind(), id: key.id(), entry: None, what: what.into() }
    }

    pub(super) fn in_journal(due: Seq, what: &'static str) -> Self {
        Self { kind: "Journal", id: due.to_string(), entry: None, what: what.into() }
    }

    pub(super) const fn in_entry(mut self, seq: Seq) -> Self {
        self.entry = Some(seq);
        self
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, id, entry, what } = self;
        write!(f, "{kind} {id}: {what}")?;
        match entry {
            Some(seq) => write!(f, " (journal entry {seq})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Contradiction {}
