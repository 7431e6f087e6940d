//! Lists and the journal: reads that are long enough for a thread of their own.

use std::{
    ffi::c_int,
    io,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
};

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::{
        queue::{join, spawn},
        read_elsewhere,
    },
};
use futures_channel::oneshot;
use rusqlite::{Connection, Transaction, TransactionBehavior::Deferred};

use crate::base::{error::Fault, journal, signals::Signals};

/// The steps of SQLite between two looks at whether the caller still waits: a quarter of a millisecond.
const STEPS: c_int = 10_000;

type Scan = Box<dyn FnOnce(&mut Connection) + Send>;

/// Threads with a read-only connection each, and their queue.
#[derive(Debug)]
pub(crate) struct Scans {
    queue: SyncSender<Scan>,
    signals: Arc<Signals>,
    threads: Vec<JoinHandle<()>>,
}

impl Scans {
    pub(crate) fn start(conns: Vec<Connection>, signals: Arc<Signals>, queue: usize) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(queue);
        let receiver = Arc::new(Mutex::new(receiver));
        let threads = conns.into_iter().map(|conn| {
            let receiver = Arc::clone(&receiver);
            spawn("care-scan", move || run(conn, &receiver))
        });
        Ok(Self { threads: threads.collect::<Result<_, _>>()?, signals, queue: sender })
    }

    /// Runs a read in a snapshot of its own, which holds every commit that was announced. It ends when its caller does:
    /// within a statement by itself, and between statements where the read asks whether its caller still waits.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection, &(dyn Fn() -> bool + Sync)) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, receiver) = oneshot::channel();
        let signals = Arc::clone(&self.signals);
        let scan: Scan = Box::new(move |conn| {
            // The caller may no longer be waiting.
            if sender.is_canceled() {
                return;
            }
            let _age = signals.scans.begin();
            let sender = Arc::new(sender);
            let watched = Arc::clone(&sender);
            let begun = conn.progress_handler(STEPS, Some(move || watched.is_canceled()));
            let is_wanted = || !sender.is_canceled();
            let wanted = |conn: &Connection| read(conn, &is_wanted);
            let found = begun.map_err(Fault::from);
            let found = read_elsewhere(|| found.and_then(|()| in_snapshot(conn, &signals, wanted)));
            // The handler is dropped, and with it its share of the sender.
            let ended = conn.progress_handler(0, None::<fn() -> bool>);
            if let (Ok(()), Some(sender)) = (ended, Arc::into_inner(sender)) {
                let _ = sender.send(found);
            }
        });
        self.queue.try_send(scan).map_err(|refused| match refused {
            TrySendError::Full(_) => StoreErrorKind::Busy,
            TrySendError::Disconnected(_) => StoreErrorKind::Stopped,
        })?;
        match receiver.await {
            Ok((answer, work)) => {
                work.count();
                Ok(answer?)
            }
            Err(oneshot::Canceled) => Err(StoreErrorKind::Broken.into()),
        }
    }

    /// Ends the threads once the queue is empty.
    pub(crate) fn stop(self) {
        drop(self.queue);
        self.threads.into_iter().for_each(join);
    }
}

fn in_snapshot<T>(
    conn: &mut Connection,
    signals: &Signals,
    read: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, Fault> {
    // Dropping the transaction rolls it back.
    let snapshot = Transaction::new(conn, Deferred)?;
    signals.sees(journal::last(&snapshot)?);
    read(&snapshot)
}

fn run(mut conn: Connection, queue: &Mutex<Receiver<Scan>>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(scan) => scan(&mut conn),
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::mpsc,
        task::{Context, Waker},
        thread,
        time::Duration,
    };

    use care_core::store::{Filling, Limit};

    use super::*;

    const TIME: Duration = Duration::from_secs(10);

    fn scans() -> Scans {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch("CREATE TABLE journal (seq INTEGER PRIMARY KEY)").unwrap();
        Scans::start(vec![conn], Arc::default(), 4).unwrap()
    }

    #[test]
    fn the_work_of_a_read_counts_where_it_is_awaited() {
        let page = || assert!(Filling::<()>::new(Limit::items(10)).takes(5000));
        let scans = scans();
        let read = scans.run(move |_, _| {
            page();
            Ok(())
        });
        let awaited = read_elsewhere(|| futures_executor::block_on(read).unwrap()).1;
        assert_eq!(awaited, read_elsewhere(page).1);
        assert_ne!(awaited, read_elsewhere(|| ()).1);
    }

    #[test]
    fn a_read_ends_when_its_caller_does() {
        let scans = scans();
        let (begun, has_begun) = mpsc::channel();
        let mut endless = Box::pin(scans.run(move |conn, _| {
            begun.send(()).unwrap();
            let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
            Ok(conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
        }));
        assert!(endless.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        has_begun.recv_timeout(TIME).unwrap();
        drop(endless);
        let (answer, answered) = mpsc::channel();
        thread::spawn(move || {
            let next = scans.run(|conn, _| Ok(conn.query_row("SELECT 7", [], |row| row.get::<_, i64>(0))?));
            answer.send(futures_executor::block_on(next).unwrap()).unwrap();
        });
        assert_eq!(answered.recv_timeout(TIME), Ok(7));
    }
}
