//! Checkpoints: taking the write-ahead log over into the database file, and keeping the log small.
//!
//! Most pages are copied in the background, and no commit waits for it. But while anybody reads or writes, the log only
//! grows. So when it has reached a certain length, the writer ends all held snapshots and starts it over, with little
//! left to copy.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::Duration,
};

use rusqlite::{Connection, DEFAULT_NAME, ErrorCode, wal::CheckpointMode};

use crate::{
    error::Fault,
    readers::{HOLD, Readers},
    signals::Signals,
};

/// So many pages that are only in the log are worth a copy in the background.
const WORTHWHILE: u64 = 1000;
/// At so many pages the log is started over: 16 MiB. The index of a log of up to 4062 pages never has to grow, which a
/// full disk could prevent when a commit is on disk already.
const LONG: u64 = 4000;
/// After a vain attempt the log grows by so much before the next.
const STEP: u64 = 1000;
/// So long a commit may wait for reads that stand in the way.
const PATIENCE: Duration = Duration::from_millis(100);

/// The upkeep's thread: ends idle snapshots and copies pages, until the other end of `stop` is dropped.
pub(crate) fn run(conn: &Connection, readers: &Readers, signals: &Arc<Signals>, stop: &Receiver<Infallible>) {
    let mut copied = 0;
    while stop.recv_timeout(HOLD) == Err(RecvTimeoutError::Timeout) {
        readers.sweep();
        let pages = signals.log_pages();
        if pages < copied {
            copied = 0;
        }
        if pages - copied >= WORTHWHILE && !signals.is_stopped() {
            copied = checkpoint(conn, CheckpointMode::PASSIVE, signals).unwrap_or(copied);
        }
    }
}

/// The writer's part.
#[derive(Debug)]
pub(crate) struct Rewind {
    at: u64,
}

impl Rewind {
    pub(crate) const fn new() -> Self {
        Self { at: LONG }
    }

    /// Starts the log over if it has become long. Between two transactions only.
    pub(crate) fn if_due(&mut self, conn: &Connection, readers: &Readers, signals: &Signals) {
        let pages = signals.log_pages();
        if pages < self.at || signals.is_stopped() {
            return;
        }
        let copied = readers.without_snapshots(|| {
            // The next transaction sets its own time.
            conn.busy_timeout(PATIENCE).ok()?;
            checkpoint(conn, CheckpointMode::RESTART, signals)
        });
        match copied {
            Some(_) => {
                signals.set_log_pages(0);
                self.at = LONG;
            }
            None => self.at = pages + STEP,
        }
    }
}

/// Copies what it can, and answers how many pages of the log are copied; `None` when it was kept from it.
fn checkpoint(conn: &Connection, mode: CheckpointMode, signals: &Signals) -> Option<u64> {
    match conn.wal_checkpoint_v2(DEFAULT_NAME, mode) {
        Ok((_, copied)) => u64::try_from(copied).ok(),
        Err(error) => {
            let is_busy = error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
            let fault = Fault::from(error);
            if fault.is_failed_sync() {
                tracing::error!(error = ?fault, "the disk did not confirm a checkpoint; no more writes");
                signals.stop();
            } else if !is_busy {
                tracing::warn!(error = ?fault, "a checkpoint failed");
            }
            None
        }
    }
}
