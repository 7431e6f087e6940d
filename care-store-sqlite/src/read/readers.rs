//! Point reads on the thread of the caller.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    store::{Deciding, Question},
};
use rusqlite::Connection;

use super::load::load;
use crate::base::{error::Fault, signals::Signals};

/// The longest time for which a snapshot is held: another process may have written.
pub(crate) const HOLD: Duration = Duration::from_millis(50);

/// Read-only connections with a lock each.
///
/// Beginning and ending a read transaction costs several times as much as a point read, so a connection keeps its
/// snapshot until the next commit, or until [`HOLD`] is over.
#[derive(Debug)]
pub(crate) struct Readers {
    slots: Box<[Mutex<Reader>]>,
    signals: Arc<Signals>,
    may_hold: AtomicBool,
}

#[derive(Debug)]
struct Reader {
    /// The connection; `None` once the store is closed.
    conn: Option<Connection>,
    held: Option<Snapshot>,
}

/// The open read transaction of a connection.
#[derive(Debug, Clone, Copy)]
struct Snapshot {
    /// The number of commits that it sees, at least.
    commits: u64,
    since: Instant,
}

impl Readers {
    pub(crate) fn new(conns: Vec<Connection>, signals: Arc<Signals>, may_hold: bool) -> Self {
        let slots = conns.into_iter().map(|conn| Mutex::new(Reader { conn: Some(conn), held: None }));
        Self { slots: slots.collect(), signals, may_hold: AtomicBool::new(may_hold) }
    }

    /// Answers a question from one snapshot, which holds every commit that was announced.
    pub(crate) fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        let mut reader = self.slot();
        let commits = self.signals.commits();
        let conn = reader.snapshot(commits)?;
        let answer = Deciding::new(question).finish_within(|key, room| load(conn, key, room).map_err(StoreError::from));
        let failed = matches!(answer, Err(Error::Store(_)));
        if failed || !self.may_hold.load(Ordering::SeqCst) {
            reader.release();
        }
        answer
    }

    /// Runs another read on one snapshot, like [`read`](Self::read).
    pub(crate) fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        let mut reader = self.slot();
        let commits = self.signals.commits();
        let answer = read(reader.snapshot(commits)?);
        if answer.is_err() || !self.may_hold.load(Ordering::SeqCst) {
            reader.release();
        }
        Ok(answer?)
    }

    /// Ends the snapshots that no read has renewed, so that the log can be copied into the file. Returns the age of the
    /// oldest one that no read is using.
    pub(crate) fn sweep(&self) -> Duration {
        let mut oldest = Duration::ZERO;
        for slot in &self.slots {
            if let Ok(mut reader) = slot.try_lock()
                && let Some(age) = reader.held.map(|held| held.since.elapsed())
            {
                oldest = oldest.max(age);
                if age >= HOLD {
                    reader.release();
                }
            }
        }
        oldest
    }

    /// Calls `run` while no snapshot outlives its read.
    pub(crate) fn without_snapshots<T>(&self, run: impl FnOnce() -> T) -> T {
        let may_hold = self.may_hold.swap(false, Ordering::SeqCst);
        for slot in &self.slots {
            lock(slot).release();
        }
        let done = run();
        self.may_hold.store(may_hold, Ordering::SeqCst);
        done
    }

    /// Closes all connections.
    pub(crate) fn close(&self) {
        for slot in &self.slots {
            lock(slot).conn = None;
        }
    }

    /// Returns the thread's own slot if it is free, otherwise any free one, and otherwise its own once it is free. A
    /// thread that stays with its slot finds its cached pages and statements there.
    fn slot(&self) -> MutexGuard<'_, Reader> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed);
        }
        let own = OWN.with(|own| *own) % self.slots.len();
        let (before, from) = self.slots.split_at(own);
        from.iter()
            .chain(before)
            .find_map(|slot| match slot.try_lock() {
                Ok(reader) => Some(reader),
                Err(TryLockError::Poisoned(reader)) => Some(reader.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            })
            .unwrap_or_else(|| lock(&self.slots[own]))
    }
}

impl Reader {
    /// Returns the connection in a read transaction that sees this number of commits.
    fn snapshot(&mut self, commits: u64) -> Result<&Connection, StoreError> {
        let held = self.held.filter(|held| held.commits == commits && held.since.elapsed() < HOLD);
        if held.is_none() {
            self.release();
            let since = Instant::now();
            if let Some(conn) = &self.conn {
                execute(conn, "BEGIN")?;
                self.held = Some(Snapshot { commits, since });
            }
        }
        self.conn.as_ref().ok_or_else(|| StoreErrorKind::Stopped.into())
    }

    /// Ends the read transaction, if there is one.
    fn release(&mut self) {
        self.held = None;
        if let Some(conn) = &self.conn
            && !conn.is_autocommit()
            && let Err(fault) = execute(conn, "ROLLBACK")
        {
            tracing::warn!(error = ?fault, "a read transaction did not end");
        }
    }
}

fn execute(conn: &Connection, sql: &str) -> Result<(), Fault> {
    conn.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// Locks a reader. One whose thread panicked is still good, since a panic in a question never reaches it.
fn lock(slot: &Mutex<Reader>) -> MutexGuard<'_, Reader> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
