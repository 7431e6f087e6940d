//! The thread that writes the file for the running relay.

use std::{
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use super::{State, StateError};

/// The pause between two looks for changes that a tool has made.
const LOOK: Duration = Duration::from_secs(1);
/// The most pieces of work in one transaction.
const BATCH: usize = 128;

/// A piece of work, in a transaction if one could be begun. It returns what tells its caller the outcome, once that is
/// on the disk or lost.
type Work = Box<dyn FnOnce(Option<&Connection>) -> Told + Send>;
type Told = Box<dyn FnOnce(Result<(), StateError>) + Send>;

/// The file of the running relay. Work that waits together is synced to the disk together.
#[derive(Clone)]
pub(crate) struct Ledger {
    work: mpsc::Sender<Work>,
    changes: watch::Receiver<u64>,
}

impl Ledger {
    /// Takes over the file. The second value is ready once all handles are dropped and the file is free again.
    pub(crate) fn start(state: State) -> Result<(Self, impl Future<Output = ()>), StateError> {
        let owned = state.own()?;
        let (work, waiting) = mpsc::channel();
        let (changed, changes) = watch::channel(0);
        let (ended, end) = oneshot::channel::<()>();
        thread::Builder::new().name("relay-state".to_owned()).spawn(move || {
            write(&state, &waiting, &changed);
            drop(state);
            drop(owned);
            drop(ended);
        })?;
        Ok((Self { work, changes }, async { end.await.unwrap_or_default() }))
    }

    /// Returns a count that grows whenever a tool has changed the file.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }

    /// Runs this in a transaction, and returns once it is on the disk.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StateError> {
        let (tell, told) = oneshot::channel();
        let work: Work = Box::new(move |conn| {
            let done = conn.map(|conn| apart(conn, work));
            Box::new(move |committed| {
                let outcome = committed.and_then(|()| Ok(done.ok_or(StateError::Ended)??));
                // The caller may have gone.
                let _ = tell.send(outcome);
            })
        });
        self.work.send(work).map_err(|_| StateError::Ended)?;
        told.await.map_err(|_| StateError::Ended)?
    }
}

/// Does the work that arrives, until the relay has gone.
fn write(state: &State, waiting: &Receiver<Work>, changed: &watch::Sender<u64>) {
    let conn = &state.conn;
    let mut version = data_version(conn);
    let mut looked = Instant::now();
    loop {
        match waiting.recv_timeout(LOOK.saturating_sub(looked.elapsed())) {
            Ok(first) => {
                let work = [first].into_iter().chain(waiting.try_iter()).take(BATCH);
                commit(conn, work);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            let now = data_version(conn);
            if now != version {
                version = now;
                changed.send_modify(|count| *count += 1);
            }
        }
    }
}

/// Returns a number that differs whenever another connection has written; `None` if it cannot be read.
fn data_version(conn: &Connection) -> Option<i64> {
    conn.pragma_query_value(None, "data_version", |row| row.get(0)).ok()
}

/// Does pieces of work in one transaction, and tells each caller.
fn commit(conn: &Connection, work: impl Iterator<Item = Work>) {
    let begun = conn.execute_batch("BEGIN IMMEDIATE");
    let open = begun.is_ok().then_some(conn);
    let told: Vec<Told> = work.map(|work| work(open)).collect();
    let committed = begun.and_then(|()| conn.execute_batch("COMMIT"));
    if let Err(error) = &committed {
        tracing::error!(%error, "the state could not be written");
        // There may be no transaction to end.
        let _ = conn.execute_batch("ROLLBACK");
    }
    for tell in told {
        tell(if committed.is_ok() { Ok(()) } else { Err(StateError::Unwritten) });
    }
}

/// Does one piece of work as a whole or not at all.
fn apart<T>(conn: &Connection, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    conn.execute_batch("SAVEPOINT work")?;
    let done = work(conn);
    conn.execute_batch(if done.is_ok() { "RELEASE work" } else { "ROLLBACK TO work; RELEASE work" })?;
    done
}
