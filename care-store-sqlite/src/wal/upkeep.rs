//! Checkpoints: copying the write-ahead log into the database file, and keeping the log short.
//!
//! Pages are copied in the background, and no commit waits for it. The copy reaches the disk when it has caught up with
//! the log for a moment: pages written meanwhile are copied at once, fewer each time, until none are left. While the
//! disk takes pages in, a commit's own sync waits behind them, so only a few are copied at a time. Copying begins right
//! after a commit, when the log is synced and there is time until the next one.
//!
//! While there are reads or writes, the log still only grows. So when it is nearly as long as there is [`Room`] for,
//! the writer ends all held snapshots and starts the log over, at a moment when few pages are left to copy and to sync.

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

use rusqlite::{Connection, ErrorCode};

use super::room::Room;
use crate::{
    base::{
        error::Fault,
        journal,
        log::{Checkpoint, FEW, Log},
        signals::Signals,
    },
    file::{place::Place, space::Space},
    read::readers::{HOLD, Readers},
};

/// The number of passes in a row, each of which copies the pages written during the one before.
const PASSES: usize = 16;
/// The time between two checks of the files' paths and of the epoch while there are no commits.
const LOOK: Duration = Duration::from_millis(500);
/// The time between two looks at the journal for entries of other processes, while there is a listener.
const LISTEN: Duration = Duration::from_millis(100);
/// The number of pages by which the log grows before the next attempt.
const STEP: u64 = 1000;
/// The longest time for which a commit waits for reads that hold snapshots.
const PATIENCE: Duration = Duration::from_millis(100);

/// Runs the upkeep's thread: ends idle snapshots and copies pages, until the other end of `stop` is dropped. A commit
/// wakes it when there are pages to copy, see [`Signals::logged`].
pub(crate) fn run(
    conn: &Connection,
    readers: &Readers,
    signals: &Arc<Signals>,
    place: &Place,
    space: &Space,
    stop: &Receiver<Infallible>,
) {
    let (mut looked, mut listened) = (Instant::now(), Instant::now());
    while stop.try_recv() == Err(TryRecvError::Empty) {
        let oldest = readers.sweep().max(signals.scans.oldest());
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            signals.stop_unless_in_place(place.missing());
            // After an error the next check reads it.
            if let Ok(epoch) = journal::epoch(conn) {
                signals.set_epoch(epoch);
            }
            if let Ok(room) = space.left(conn) {
                signals.set_room(room);
            }
        }
        if listened.elapsed() >= LISTEN && signals.notifiers.are_awaited() {
            listened = Instant::now();
            journal::announce_last(conn, signals);
        }
        signals.figures.look(&signals.log, oldest, signals.room());
        signals.figures.writer.stopped(signals.is_stopped());
        match copy(conn, signals) {
            Some(()) => thread::park_timeout(HOLD),
            // The next commit need not try again at once.
            None => thread::sleep(HOLD),
        }
    }
}

/// Copies the log while that is worth it; `None` when the copy was prevented.
fn copy(conn: &Connection, signals: &Signals) -> Option<()> {
    let log = &signals.log;
    for pass in 0..PASSES {
        let _right = log.copying();
        let is_worth_it = if pass == 0 { log.is_worth_a_copy() } else { log.left() > 0 };
        if !is_worth_it || signals.is_stopped() {
            break;
        }
        let copied = checkpoint(conn, Checkpoint::Passive, signals)?;
        if log.set_copied(copied) == copied {
            // An older snapshot prevents it.
            break;
        }
    }
    Some(())
}

/// The writer's part of the upkeep.
#[derive(Debug)]
pub(crate) struct Rewind {
    room: Room,
    /// The length at which the log is started over with any number of pages left to copy.
    at: u64,
}

impl Rewind {
    /// Returns the writer's part for the log of this database.
    pub(crate) fn new(database: &Path, log: &Log) -> Self {
        let room = Room::new(database);
        let rewind = Self { at: room.end(), room };
        rewind.get_ready(log);
        rewind
    }

    /// Starts the log over if it has become long. Call it only between two transactions.
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
            checkpoint(conn, Checkpoint::Restart, signals)
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

    /// Marks the log as ready from three quarters of its longest length on: it is then started over when few pages are
    /// left to copy.
    fn get_ready(&self, log: &Log) {
        let end = self.room.end();
        log.set_ready(if self.at > end || self.room.may_grow() { self.at } else { end / 4 * 3 });
    }
}

/// Copies as much as it can, and returns the number of copied pages; `None` when the copy was prevented.
fn checkpoint(conn: &Connection, kind: Checkpoint, signals: &Signals) -> Option<u64> {
    let since = Instant::now();
    let copied = kind.run(conn);
    signals.figures.checkpoint(kind, since, copied.is_err());
    match copied {
        Ok(copied) => Some(copied),
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
