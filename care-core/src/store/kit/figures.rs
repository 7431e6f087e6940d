//! The figures of the thread of a store that writes, for the recorder of the embedding program.

use std::time::Instant;

/// The figures of a writing thread, for stores: its queue, its batches and its commits. The handles are those of the
/// recorder that existed when it was made.
#[derive(Debug)]
pub struct WriterFigures {
    queue: metrics::Gauge,
    batch: metrics::Histogram,
    committed: metrics::Counter,
    failed: metrics::Counter,
    transaction: metrics::Histogram,
    sync: metrics::Histogram,
    stopped: metrics::Gauge,
}

/// The place of a job in the queue, until it is dropped.
#[derive(Debug)]
#[must_use = "a job that is dropped no longer waits"]
pub struct QueuePlace {
    queue: metrics::Gauge,
}

impl Default for WriterFigures {
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
        Self {
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
            stopped: gauge("care_store_stopped", "1 when nothing is written until a restart, otherwise 0."),
        }
    }
}

impl WriterFigures {
    /// Counts a job as waiting.
    pub fn waiting(&self) -> QueuePlace {
        self.queue.increment(1);
        QueuePlace { queue: self.queue.clone() }
    }

    /// Records the number of decisions in a transaction that began at this time.
    pub fn batch(&self, decisions: usize, since: Instant) {
        self.batch.record(u32::try_from(decisions).unwrap_or(u32::MAX));
        self.transaction.record(since.elapsed());
    }

    /// Records a commit that was tried at this time.
    pub fn commit(&self, since: Instant, is_committed: bool) {
        if is_committed { &self.committed } else { &self.failed }.increment(1);
        self.sync.record(since.elapsed());
    }

    /// Records whether the store has stopped writing.
    pub fn stopped(&self, is_stopped: bool) {
        self.stopped.set(if is_stopped { 1 } else { 0 });
    }
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        self.queue.decrement(1);
    }
}
