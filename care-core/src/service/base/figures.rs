//! The figures of a service, for the recorder of the embedding program.

use std::sync::Arc;

use crate::{error::Error, store::Seq};

/// The handles of a service on the recorder that existed when the service was made.
#[derive(Clone)]
pub(crate) struct Figures {
    handles: Arc<Handles>,
}

struct Handles {
    written: metrics::Counter,
    unchanged: metrics::Counter,
    refused: metrics::Counter,
    failed: metrics::Counter,
    seq: metrics::Gauge,
}

impl Figures {
    const DECISIONS: &str = "care_decisions_total";
    const SEQ: &str = "care_seq";

    pub(crate) fn new() -> Self {
        metrics::describe_counter!(Self::DECISIONS, "Decisions of use cases that write, by what came of them.");
        metrics::describe_gauge!(
            Self::SEQ,
            "The number of the journal's last entry, as far as this process has heard."
        );
        let decisions = |outcome: &'static str| metrics::counter!(Self::DECISIONS, "outcome" => outcome);
        Self {
            handles: Arc::new(Handles {
                written: decisions("written"),
                unchanged: decisions("unchanged"),
                refused: decisions("refused"),
                failed: decisions("failed"),
                seq: metrics::gauge!(Self::SEQ),
            }),
        }
    }

    /// Returns figures that nothing records, of decisions that may still be taken back.
    pub(crate) fn silent() -> Self {
        let silent = metrics::Counter::noop;
        let (written, unchanged, refused, failed) = (silent(), silent(), silent(), silent());
        let handles = Handles { written, unchanged, refused, failed, seq: metrics::Gauge::noop() };
        Self { handles: Arc::new(handles) }
    }

    /// Counts a decision by its result.
    pub(crate) fn decided(&self, outcome: &Result<Option<Seq>, Error>) {
        let handles = &self.handles;
        match outcome {
            Ok(Some(seq)) => {
                handles.written.increment(1);
                self.last(*seq);
            }
            Ok(None) => handles.unchanged.increment(1),
            Err(Error::Store(_)) => handles.failed.increment(1),
            Err(_) => handles.refused.increment(1),
        }
    }

    /// Records the number of the journal's last entry, which the gauge holds exactly up to 2^53.
    pub(crate) fn last(&self, seq: Seq) {
        #[expect(clippy::cast_precision_loss, reason = "a journal of 2^53 entries is out of reach")]
        self.handles.seq.set(seq.value() as f64);
    }
}
