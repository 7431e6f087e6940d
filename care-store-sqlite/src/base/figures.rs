//! The figures of a store, for the recorder of the embedding program.

use std::time::{Duration, Instant};

use care_core::store::WriterFigures;

use super::checkpoint::Checkpoint;

/// The handles of a store on the recorder that existed when the store was opened.
#[derive(Debug)]
pub(crate) struct Figures {
    /// Those of every store with one writing thread.
    pub(crate) writer: WriterFigures,
    handles: Handles,
}

/// The state that the upkeep finds.
pub(crate) struct State {
    /// The pages of the write-ahead log.
    pub(crate) log: u64,
    /// Those of them that are not in the file yet.
    pub(crate) left: u64,
    /// The age of the oldest snapshot of a read.
    pub(crate) oldest: Duration,
    /// The bytes by which the database may still grow.
    pub(crate) room: u64,
    pub(crate) is_stopped: bool,
}

#[derive(Debug)]
struct Handles {
    log: metrics::Gauge,
    left: metrics::Gauge,
    oldest: metrics::Gauge,
    room: metrics::Gauge,
}

impl Default for Figures {
    fn default() -> Self {
        use metrics::{describe_counter, describe_gauge, describe_histogram, gauge};

        let gauge = |name: &'static str, help: &'static str| {
            describe_gauge!(name, help);
            gauge!(name)
        };
        describe_counter!(CHECKPOINTS, "Checkpoints, by their kind and by whether they were held up.");
        describe_histogram!(CHECKPOINT, "Time of a checkpoint, by its kind.");
        Self {
            writer: WriterFigures::default(),
            handles: Handles {
                log: gauge("care_store_log_bytes", "Length of the write-ahead log."),
                left: gauge("care_store_log_uncopied_bytes", "What only the write-ahead log has."),
                oldest: gauge("care_store_snapshot_age_seconds", "Age of the oldest snapshot that a read holds."),
                room: gauge("care_store_room_bytes", "How much the database may still grow."),
            },
        }
    }
}

const CHECKPOINTS: &str = "care_store_checkpoints_total";
const CHECKPOINT: &str = "care_store_checkpoint_duration_seconds";

impl Figures {
    /// Records a checkpoint that began at this time. Checkpoints are rare, so their handles are looked up.
    pub(crate) fn checkpoint(&self, kind: Checkpoint, since: Instant, is_held_up: bool) {
        let kind = match kind {
            Checkpoint::Passive => "copy",
            Checkpoint::Restart | Checkpoint::Truncate => "restart",
        };
        let outcome = if is_held_up { "held_up" } else { "done" };
        metrics::counter!(CHECKPOINTS, "kind" => kind, "outcome" => outcome).increment(1);
        metrics::histogram!(CHECKPOINT, "kind" => kind).record(since.elapsed());
    }

    /// Records the state that the upkeep finds.
    #[expect(clippy::cast_precision_loss, reason = "no file has 2^53 bytes")]
    pub(crate) fn look(&self, state: &State) {
        let bytes = |pages: u64| (pages * u64::from(super::connect::PAGE_SIZE)) as f64;
        self.handles.log.set(bytes(state.log));
        self.handles.left.set(bytes(state.left));
        self.handles.oldest.set(state.oldest.as_secs_f64());
        self.handles.room.set(state.room as f64);
        self.writer.stopped(state.is_stopped);
    }
}
