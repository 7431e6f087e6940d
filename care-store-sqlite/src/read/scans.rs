//! Lists and the journal: reads that are long enough for a thread of their own.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
};

use care_core::error::{StoreError, StoreErrorKind};
use futures_channel::oneshot;
use rusqlite::{Connection, Transaction, TransactionBehavior::Deferred};

use crate::base::{error::Fault, signals::Signals, threads};

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
            threads::spawn("care-scan", move || run(conn, &receiver))
        });
        Ok(Self { threads: threads.collect::<Result<_, _>>()?, signals, queue: sender })
    }

    /// Runs a read in a snapshot of its own, which holds every commit that was announced.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, receiver) = oneshot::channel();
        let signals = Arc::clone(&self.signals);
        let scan: Scan = Box::new(move |conn| {
            // The caller may no longer be waiting.
            if !sender.is_canceled() {
                let _age = signals.scans.begin();
                let _ = sender.send(in_snapshot(conn, read));
            }
        });
        self.queue.try_send(scan).map_err(|refused| match refused {
            TrySendError::Full(_) => StoreErrorKind::Busy,
            TrySendError::Disconnected(_) => StoreErrorKind::Stopped,
        })?;
        match receiver.await {
            Ok(answer) => Ok(answer?),
            Err(oneshot::Canceled) => Err(StoreErrorKind::Broken.into()),
        }
    }

    /// Ends the threads once the queue is empty.
    pub(crate) fn stop(self) {
        drop(self.queue);
        self.threads.into_iter().for_each(threads::join);
    }
}

fn in_snapshot<T>(conn: &mut Connection, read: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, Fault> {
    // Dropping the transaction rolls it back.
    let snapshot = Transaction::new(conn, Deferred)?;
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
