//! The findings of an audit.

use std::{borrow::Cow, fmt};

use crate::{
    error::StoreError,
    store::{RecordKey, Seq},
};

/// The fault of a record, as the end of a sentence that begins with the record.
pub(super) type What = &'static str;

/// Requires that a rule is kept; otherwise returns the fault.
pub(super) const fn require(is_kept: bool, what: What) -> Result<(), What> {
    if is_kept { Ok(()) } else { Err(what) }
}

/// [`require`] for a rule about a record.
pub(super) fn require_of(is_kept: bool, key: impl FnOnce() -> RecordKey, what: What) -> Result<(), Contradiction> {
    require(is_kept, what).map_err(|what| Contradiction::of(key(), what))
}

/// The reason why an audit ended early.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuditError {
    /// The store contradicts itself.
    #[error(transparent)]
    Contradiction(#[from] Box<Findings>),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The findings of an audit, three things apart: of each the first contradiction, if there is one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    /// The first entry that breaks the chain: it, or one before it, was changed, added or taken out.
    pub chain: Option<Contradiction>,
    /// The first value that is neither the one that the chain commits to nor the one that an erasure left.
    pub values: Option<Contradiction>,
    /// The first entry that breaks a rule of the domain, or else the first record that is not what the journal makes.
    pub records: Option<Contradiction>,
}

impl From<Findings> for AuditError {
    fn from(found: Findings) -> Self {
        Self::Contradiction(Box::new(found))
    }
}

impl From<Contradiction> for AuditError {
    fn from(found: Contradiction) -> Self {
        Findings { records: Some(found), ..Findings::default() }.into()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chain, values, records } = self;
        let mut between = "";
        for (what, found) in [("the chain is broken: ", chain), ("a value was changed: ", values), ("", records)] {
            if let Some(found) = found {
                write!(f, "{between}{what}{found}")?;
                between = "; ";
            }
        }
        Ok(())
    }
}

impl std::error::Error for Findings {}

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

    pub(super) fn in_journal(due: Seq, what: impl Into<Cow<'static, str>>) -> Self {
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
