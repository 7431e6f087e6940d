//! The store's metrics, sent to the embedding program's recorder.

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::WriterFigures,
};

/// A store's metric handles, on the recorder that was installed when the store was opened.
#[derive(Debug)]
pub(crate) struct Figures {
    /// The metrics that every store with one writing thread has.
    pub(crate) writer: WriterFigures,
    happened: metrics::Counter,
    did_not: metrics::Counter,
    unknown: metrics::Counter,
    lost: metrics::Counter,
}

impl Default for Figures {
    fn default() -> Self {
        const RESOLVED: &str = "care_store_resolved_total";
        const LOST: &str = "care_store_lost_connections_total";
        metrics::describe_counter!(RESOLVED, "Commits without an answer, by what was found out about them.");
        metrics::describe_counter!(LOST, "Connections to the database that ended while they were in use or idle.");
        let resolved = |outcome: &'static str| metrics::counter!(RESOLVED, "outcome" => outcome);
        Self {
            writer: WriterFigures::default(),
            happened: resolved("happened"),
            did_not: resolved("did_not"),
            unknown: resolved("unknown"),
            lost: metrics::counter!(LOST),
        }
    }
}

impl Figures {
    /// Counts a commit whose answer was lost, by what the store found out about it.
    pub(crate) fn resolved(&self, resolved: Resolved) {
        let counter = match resolved {
            Resolved::Happened => &self.happened,
            Resolved::DidNot => &self.did_not,
            Resolved::Unknown => &self.unknown,
        };
        counter.increment(1);
    }

    /// Counts a connection that ended with an error.
    pub(crate) fn lost_connection(&self) {
        self.lost.increment(1);
    }
}

/// The outcome of a commit whose answer was lost, as far as the store found it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resolved {
    Happened,
    DidNot,
    Unknown,
}

impl From<Resolved> for Result<(), StoreError> {
    fn from(resolved: Resolved) -> Self {
        match resolved {
            Resolved::Happened => Ok(()),
            Resolved::DidNot => Err(StoreErrorKind::Busy.into()),
            Resolved::Unknown => Err(StoreErrorKind::Unknown.into()),
        }
    }
}
