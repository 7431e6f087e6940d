//! Checkpoints: taking the write-ahead log over into the database file, and keeping the log small.
//!
//! Pages are copied in the background, and no commit waits for it. The copy reaches the disk when it has caught up with
//! the log for a moment: what was written meanwhile is copied right away, less each time, until nothing is left.
//! While the disk takes pages in, a commit's own sync waits behind them, so only few are copied at a time; and that
//! begins right behind a commit, when the log is clean and there is time until the next.
//!
//! While anybody reads or writes, the log only grows all the same. So when it is nearly as long as there is [`Room`] for,
//! the writer ends all held snapshots and starts it over, at a moment when there is little left to copy and to sync.

use std::{
    convert::Infallible,
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, TryRecvError},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, DEFAULT_NAME, ErrorCode, wal::CheckpointMode};

use super::{
    log::{FEW, Log},
    room::Room,
    signals::Signals,
};
use crate::{
    epoch,
    error::Fault,
    place::Place,
    readers::{HOLD, Readers},
    space::Space,
};

/// So often in a row what was written during the last copy is copied too.
const PASSES: usize = 16;
/// How often the files are looked for at their paths while nothing is committed, and the epoch is read.
const LOOK: Duration = Duration::from_millis(500);
/// After a vain attempt the log grows by so much before the next.
const STEP: u64 = 1000;
/// So long a commit may wait for reads that stand in the way.
const PATIENCE: Duration = Duration::from_millis(100);

/// The upkeep's thread: ends idle snapshots and copies pages, until the other end of `stop` is dropped. A commit wakes it
/// when there is something to copy, see [`Signals::logged`].
pub(crate) fn run(
    conn: &Connection,
    readers: &Readers,
    signals: &Arc<Signals>,
    place: &Place,
    space: &Space,
    stop: &Receiver<Infallible>,
) {
    let mut looked = Instant::now();
    while stop.try_recv() == Err(TryRecvError::Empty) {
        let oldest = readers.sweep().max(signals.scans.oldest());
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            signals.stop_unless_in_place(place.missing());
            // When it cannot be read now, the next look will do.
            if let Ok(epoch) = epoch::read(conn) {
                signals.set_epoch(epoch);
            }
            if let Ok(room) = space.left(conn) {
                signals.set_room(room);
            }
        }
        signals.figures.look(signals, oldest);
        match copy(conn, signals) {
            Some(()) => thread::park_timeout(HOLD),
            // The next commit need not try again at once.
            None => thread::sleep(HOLD),
        }
    }
}

/// Copies what is worth it; `None` when it was kept from it.
fn copy(conn: &Connection, signals: &Signals) -> Option<()> {
    let log = &signals.log;
    for pass in 0..PASSES {
        let _right = log.copying();
        let is_worth_it = if pass == 0 { log.is_worth_a_copy() } else { log.left() > 0 };
        if !is_worth_it || signals.is_stopped() {
            break;
        }
        let copied = checkpoint(conn, CheckpointMode::PASSIVE, signals)?;
        if log.set_copied(copied) == copied {
            // An older snapshot stands in the way.
            break;
        }
    }
    Some(())
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
    let since = Instant::now();
    let copied = conn.wal_checkpoint_v2(DEFAULT_NAME, mode);
    signals.figures.checkpoint(mode, since, copied.is_err());
    match copied {
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
