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
    store::{Deciding, Question, Seq, unless_inside_a_commit},
};
use rusqlite::Connection;

use super::load::load;
use crate::base::{error::Fault, journal, signals::Signals};

/// The longest time for which a snapshot is held: another process may have written.
pub(crate) const HOLD: Duration = Duration::from_millis(50);

/// Read-only connections with a lock each.
///
/// Beginning and ending a read transaction costs several times as much as a point read, so a connection keeps its
/// snapshot until the next commit, until another connection has seen what another process wrote, or until [`HOLD`] is
/// over.
#[derive(Debug)]
pub(crate) struct Readers {
    slots: Box<[Mutex<Reader>]>,
    signals: Arc<Signals>,
    /// Whether the store holds snapshots at all.
    holds: bool,
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
    /// The last entry that it sees.
    last: Seq,
    since: Instant,
}

impl Readers {
    pub(crate) fn new(conns: Vec<Connection>, signals: Arc<Signals>, may_hold: bool) -> Self {
        let slots = conns.into_iter().map(|conn| Mutex::new(Reader { conn: Some(conn), held: None }));
        Self { slots: slots.collect(), signals, holds: may_hold, may_hold: AtomicBool::new(may_hold) }
    }

    /// Answers a question from one snapshot, which holds every commit that was announced.
    pub(crate) fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        unless_inside_a_commit()?;
        let mut reader = self.slot();
        let conn = self.snapshot(&mut reader)?;
        let answer = Deciding::new(question).finish_within(|key, room| load(conn, key, room).map_err(StoreError::from));
        let failed = matches!(answer, Err(Error::Store(_)));
        if failed || !self.may_hold.load(Ordering::SeqCst) {
            reader.release();
        }
        answer
    }

    /// Runs another read on one snapshot, like [`read`](Self::read).
    pub(crate) fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        unless_inside_a_commit()?;
        let mut reader = self.slot();
        let answer = read(self.snapshot(&mut reader)?);
        if answer.is_err() || !self.may_hold.load(Ordering::SeqCst) {
            reader.release();
        }
        Ok(answer?)
    }

    /// Returns a reader's connection in a read transaction that sees all that was announced, and all that an earlier
    /// answer of any connection has shown.
    fn snapshot<'a>(&self, reader: &'a mut Reader) -> Result<&'a Connection, StoreError> {
        let commits = self.signals.commits();
        let newest = self.signals.newest();
        let is_current =
            |held: &Snapshot| held.commits == commits && held.last >= newest && held.since.elapsed() < HOLD;
        if !reader.held.as_ref().is_some_and(is_current) {
            reader.release();
            let since = Instant::now();
            if let Some(conn) = &reader.conn {
                execute(conn, "BEGIN")?;
                // A snapshot that ends with its read is older than no other.
                let last = if self.holds { journal::last(conn)? } else { newest };
                self.signals.sees(last);
                reader.held = Some(Snapshot { commits, last, since });
            }
        }
        reader.conn.as_ref().ok_or_else(|| StoreErrorKind::Stopped.into())
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
