//! What an audit finds.

use std::{borrow::Cow, fmt};

use crate::{
    error::StoreError,
    store::{RecordKey, Seq},
};

/// Why an audit ended early.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuditError {
    /// The store contradicts itself.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A place where the store contradicts itself. It names fields, and never holds a value of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The kind of record, as the journal calls it; `Journal` when it is the journal itself.
    pub kind: &'static str,
    /// What identifies the record among its kind; in the journal, the number that is due.
    pub id: String,
    /// The journal entry that brought it about, when it is one.
    pub entry: Option<Seq>,
    /// What is wrong.
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
