//! The figures of a store, for the recorder of the embedding program. Without the feature `metrics` they are empty.

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::WriterFigures,
};

/// The handles of a store on the recorder that existed when the store was opened.
#[derive(Debug)]
#[cfg_attr(not(feature = "metrics"), derive(Default))]
pub(crate) struct Figures {
    /// Those of every store with one writing thread.
    pub(crate) writer: WriterFigures,
    #[cfg(feature = "metrics")]
    handles: Handles,
}

#[cfg(feature = "metrics")]
#[derive(Debug)]
struct Handles {
    happened: metrics::Counter,
    did_not: metrics::Counter,
    unknown: metrics::Counter,
    lost: metrics::Counter,
}

#[cfg(feature = "metrics")]
impl Default for Figures {
    fn default() -> Self {
        const RESOLVED: &str = "care_store_resolved_total";
        const LOST: &str = "care_store_lost_connections_total";
        metrics::describe_counter!(RESOLVED, "Commits without an answer, by what was found out about them.");
        metrics::describe_counter!(LOST, "Connections to the database that ended while they were in use or idle.");
        let resolved = |outcome: &'static str| metrics::counter!(RESOLVED, "outcome" => outcome);
        Self {
            writer: WriterFigures::default(),
            handles: Handles {
                happened: resolved("happened"),
                did_not: resolved("did_not"),
                unknown: resolved("unknown"),
                lost: metrics::counter!(LOST),
            },
        }
    }
}

#[cfg(feature = "metrics")]
impl Figures {
    /// Counts a commit without an answer by what was found out about it.
    pub(crate) fn resolved(&self, resolved: Resolved) {
        let handles = &self.handles;
        let counter = match resolved {
            Resolved::Happened => &handles.happened,
            Resolved::DidNot => &handles.did_not,
            Resolved::Unknown => &handles.unknown,
        };
        counter.increment(1);
    }

    /// Counts a connection that has ended with an error.
    pub(crate) fn lost_connection(&self) {
        self.handles.lost.increment(1);
    }
}

#[cfg(not(feature = "metrics"))]
impl Figures {
    pub(crate) const fn resolved(&self, _: Resolved) {}

    pub(crate) const fn lost_connection(&self) {}
}

/// The end of a transaction whose outcome was open, as far as it was found out.
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
