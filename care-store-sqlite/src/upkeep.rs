//! Checkpoints: taking the write-ahead log over into the database file, and keeping the log small.
//!
//! Pages are copied in the background, and no commit waits for it. The copy reaches the disk when it has caught up with
//! the log for a moment: what was written meanwhile is copied right away, less each time, until nothing is left.
//!
//! While anybody reads or writes, the log only grows all the same. So when it is nearly as long as there is [`Room`] for,
//! the writer ends all held snapshots and starts it over, at a moment when there is little left to copy and to sync.

use std::{
    convert::Infallible,
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::Duration,
};

use rusqlite::{Connection, DEFAULT_NAME, ErrorCode, wal::CheckpointMode};

use crate::{
    error::Fault,
    log::Log,
    readers::{HOLD, Readers},
    room::Room,
    signals::Signals,
};

/// So many pages that are only in the log are worth a copy in the background.
const WORTHWHILE: u64 = 1000;
/// So often in a row what was written during the last copy is copied too.
const PASSES: usize = 16;
/// So long after one copy the next is looked for: whoever has written so much goes on writing.
const SOON: Duration = Duration::from_millis(5);
/// So few pages hold up commits by hardly more than a sync.
const FEW: u64 = 100;
/// After a vain attempt the log grows by so much before the next.
const STEP: u64 = 1000;
/// So long a commit may wait for reads that stand in the way.
const PATIENCE: Duration = Duration::from_millis(100);

/// The upkeep's thread: ends idle snapshots and copies pages, until the other end of `stop` is dropped.
pub(crate) fn run(conn: &Connection, readers: &Readers, signals: &Arc<Signals>, stop: &Receiver<Infallible>) {
    let mut pause = HOLD;
    while stop.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        readers.sweep();
        pause = if copy(conn, signals) { SOON } else { HOLD };
    }
}

/// Copies what is worth it, and answers whether anything was.
fn copy(conn: &Connection, signals: &Signals) -> bool {
    let log = &signals.log;
    for pass in 0..PASSES {
        let _right = log.copying();
        let worthwhile = match log.is_ready() {
            _ if pass > 0 => 1,
            true => FEW,
            false => WORTHWHILE,
        };
        if log.left() < worthwhile || signals.is_stopped() {
            return pass > 0;
        }
        match checkpoint(conn, CheckpointMode::PASSIVE, signals) {
            Some(copied) => log.set_copied(copied),
            None => return true,
        }
    }
    true
}

/// The writer's part.
#[derive(Debug)]
pub(crate) struct Rewind {
    room: Room,
    /// At so many pages the log is started over whatever is left to copy.
    at: u64,
}

impl Rewind {
    /// For the log of this database.
    pub(crate) fn new(database: &Path, log: &Log) -> Self {
        let room = Room::new(database);
        let rewind = Self { at: room.end(), room };
        rewind.get_ready(log);
        rewind
    }

    /// Starts the log over if it has become long. Between two transactions only.
    pub(crate) fn if_due(&mut self, conn: &Connection, readers: &Readers, signals: &Signals) {
        let log = &signals.log;
        let pages = log.pages();
        if !log.is_ready() || signals.is_stopped() {
            return;
        }
        if pages >= self.at && self.room.may_grow() && self.room.grow(conn, pages) {
            self.at = self.room.end();
            self.get_ready(log);
            return;
        }
        let right = match pages >= self.at {
            true => Some(log.copying()),
            false if self.at == self.room.end() && log.left() <= FEW => log.try_copying(),
            false => None,
        };
        let Some(_right) = right else {
            return;
        };
        let copied = readers.without_snapshots(|| {
            // The next transaction sets its own time.
            conn.busy_timeout(PATIENCE).ok()?;
            checkpoint(conn, CheckpointMode::RESTART, signals)
        });
        match copied {
            Some(_) => {
                log.set_pages(0);
                self.room.try_again();
                self.at = self.room.end();
            }
            None => self.at = pages + STEP,
        }
        self.get_ready(log);
    }

    /// From three quarters of the longest on, any moment will do in which little is left to copy.
    fn get_ready(&self, log: &Log) {
        let end = self.room.end();
        log.set_ready(if self.at > end || self.room.may_grow() { self.at } else { end / 4 * 3 });
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
