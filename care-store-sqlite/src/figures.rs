//! The figures of a store, for the recorder of the embedding program. Without the feature `metrics` they are empty.

use std::time::{Duration, Instant};

use rusqlite::wal::CheckpointMode;

/// The handles of a store on the recorder that existed when the store was opened.
#[derive(Debug)]
#[cfg_attr(not(feature = "metrics"), derive(Default))]
pub(crate) struct Figures {
    #[cfg(feature = "metrics")]
    handles: Handles,
}

/// The state that the upkeep finds.
#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "nothing is recorded"))]
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

/// The place of a job in the queue, until it is dropped.
pub(crate) struct Waiting {
    #[cfg(feature = "metrics")]
    queue: metrics::Gauge,
}

#[cfg(feature = "metrics")]
#[derive(Debug)]
struct Handles {
    queue: metrics::Gauge,
    batch: metrics::Histogram,
    committed: metrics::Counter,
    failed: metrics::Counter,
    transaction: metrics::Histogram,
    sync: metrics::Histogram,
    log: metrics::Gauge,
    left: metrics::Gauge,
    oldest: metrics::Gauge,
    room: metrics::Gauge,
    stopped: metrics::Gauge,
}

#[cfg(feature = "metrics")]
impl Default for Figures {
    fn default() -> Self {
        use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

        const COMMITS: &str = "care_store_commits_total";
        let gauge = |name: &'static str, help: &'static str| {
            describe_gauge!(name, help);
            gauge!(name)
        };
        let histogram = |name: &'static str, help: &'static str| {
            describe_histogram!(name, help);
            histogram!(name)
        };
        describe_counter!(COMMITS, "Transactions that wrote something, by whether they were committed.");
        describe_counter!(CHECKPOINTS, "Checkpoints, by their kind and by whether they were held up.");
        describe_histogram!(CHECKPOINT, "Time of a checkpoint, by its kind.");
        Self {
            handles: Handles {
                queue: gauge("care_store_queue", "Jobs that wait for the thread that writes, or that it is at."),
                batch: histogram("care_store_batch_decisions", "Decisions that shared a transaction."),
                committed: counter!(COMMITS, "outcome" => "committed"),
                failed: counter!(COMMITS, "outcome" => "failed"),
                transaction: histogram(
                    "care_store_commit_duration_seconds",
                    "Time of a transaction with its decisions, from its beginning to the end of its commit.",
                ),
                sync: histogram(
                    "care_store_sync_duration_seconds",
                    "Time of a commit alone: writing the log and waiting for the disk.",
                ),
                log: gauge("care_store_log_bytes", "Length of the write-ahead log."),
                left: gauge("care_store_log_uncopied_bytes", "What only the write-ahead log has."),
                oldest: gauge("care_store_snapshot_age_seconds", "Age of the oldest snapshot that a read holds."),
                room: gauge("care_store_room_bytes", "How much the database may still grow."),
                stopped: gauge("care_store_stopped", "1 when nothing is written until a restart, otherwise 0."),
            },
        }
    }
}

#[cfg(feature = "metrics")]
const CHECKPOINTS: &str = "care_store_checkpoints_total";
#[cfg(feature = "metrics")]
const CHECKPOINT: &str = "care_store_checkpoint_duration_seconds";

#[cfg(feature = "metrics")]
impl Figures {
    /// Counts a job as waiting.
    pub(crate) fn waiting(&self) -> Waiting {
        self.handles.queue.increment(1);
        Waiting { queue: self.handles.queue.clone() }
    }

    /// Records the number of decisions in a transaction that began at this time.
    pub(crate) fn batch(&self, decisions: usize, since: Instant) {
        self.handles.batch.record(u32::try_from(decisions).unwrap_or(u32::MAX));
        self.handles.transaction.record(since.elapsed());
    }

    /// Records a `COMMIT` that was tried at this time.
    pub(crate) fn commit(&self, since: Instant, is_committed: bool) {
        let handles = &self.handles;
        if is_committed { &handles.committed } else { &handles.failed }.increment(1);
        handles.sync.record(since.elapsed());
    }

    /// Records a checkpoint that began at this time. Checkpoints are rare, so their handles are looked up.
    pub(crate) fn checkpoint(&self, mode: CheckpointMode, since: Instant, is_held_up: bool) {
        let kind = if matches!(mode, CheckpointMode::PASSIVE) { "copy" } else { "restart" };
        let outcome = if is_held_up { "held_up" } else { "done" };
        metrics::counter!(CHECKPOINTS, "kind" => kind, "outcome" => outcome).increment(1);
        metrics::histogram!(CHECKPOINT, "kind" => kind).record(since.elapsed());
    }

    /// Records the state that the upkeep finds.
    #[expect(clippy::cast_precision_loss, reason = "no file has 2^53 bytes")]
    pub(crate) fn look(&self, state: &State) {
        let bytes = |pages: u64| (pages * u64::from(crate::connect::PAGE_SIZE)) as f64;
        self.handles.log.set(bytes(state.log));
        self.handles.left.set(bytes(state.left));
        self.handles.oldest.set(state.oldest.as_secs_f64());
        self.handles.room.set(state.room as f64);
        self.handles.stopped.set(if state.is_stopped { 1 } else { 0 });
    }
}

#[cfg(feature = "metrics")]
impl Drop for Waiting {
    fn drop(&mut self) {
        self.queue.decrement(1);
    }
}

#[cfg(not(feature = "metrics"))]
impl Figures {
    pub(crate) const fn waiting(&self) -> Waiting {
        Waiting {}
    }

    pub(crate) const fn batch(&self, _: usize, _: Instant) {}

    pub(crate) const fn commit(&self, _: Instant, _: bool) {}

    pub(crate) const fn checkpoint(&self, _: CheckpointMode, _: Instant, _: bool) {}

    pub(crate) const fn look(&self, _: &State) {}
}
