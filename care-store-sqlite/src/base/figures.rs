//! The figures of a store, for the recorder of the embedding program.

use std::time::{Duration, Instant};

use care_core::store::WriterFigures;

use super::{
    connect::PAGE_SIZE,
    log::{Checkpoint, Log},
};

/// The handles of a store on the recorder that existed when the store was opened.
#[derive(Debug)]
pub(crate) struct Figures {
    /// Those of every store with one writing thread.
    pub(crate) writer: WriterFigures,
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
            log: gauge("care_store_log_bytes", "Length of the write-ahead log."),
            left: gauge("care_store_log_uncopied_bytes", "What only the write-ahead log has."),
            oldest: gauge("care_store_snapshot_age_seconds", "Age of the oldest snapshot that a read holds."),
            room: gauge("care_store_room_bytes", "How much the database may still grow."),
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

    /// Records what the upkeep finds: the state of the log, the age of the oldest snapshot of a read, and the bytes by
    /// which the database may still grow.
    #[expect(clippy::cast_precision_loss, reason = "no file has 2^53 bytes")]
    pub(crate) fn look(&self, log: &Log, oldest: Duration, room: u64) {
        let bytes = |pages: u64| (pages * u64::from(PAGE_SIZE)) as f64;
        self.log.set(bytes(log.pages()));
        self.left.set(bytes(log.left()));
        self.oldest.set(oldest.as_secs_f64());
        self.room.set(room as f64);
    }
}
