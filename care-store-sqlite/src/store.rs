//! The store itself.

use std::{
    convert::Infallible,
    path::Path,
    sync::{
        Arc,
        mpsc::{self, SyncSender, TrySendError},
    },
    thread::JoinHandle,
    time::Instant,
};

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::ApiKey,
    store::{
        Act, ApiKeys, CheckError, Decision, Entry, Epoch, Journal, KeyDecision, Limit, Maintenance, Portion, Query,
        Question, Record, RecordKey, Records, ReplayError, Seq, Versioned,
    },
};
use futures_channel::oneshot;

use crate::{
    Bulk, OpenError, Options,
    bulk::Task,
    check::check,
    journal, keys, landmarks,
    list::list,
    readers::Readers,
    scans::Scans,
    space, threads,
    wal::signals::Signals,
    writer::{Job, Work},
};

/// A store in one SQLite file. An answer to [`transact`](Journal::transact) means that it is on disk.
///
/// Nothing here needs an async runtime: decisions run on a thread of the store, point reads on the caller's, lists and
/// the journal on a few more threads. Dropping the store closes the file and gives it up; that may
/// take as long as the last write does. A decision whose future was dropped is not begun, and one under way ends before its
/// next load.
#[derive(Debug)]
pub struct SqliteStore {
    pub(crate) readers: Arc<Readers>,
    pub(crate) signals: Arc<Signals>,
    /// What there is until the store is dropped.
    pub(crate) running: Option<Running>,
}

/// The threads of a store, and what keeps them going.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) jobs: SyncSender<Job>,
    pub(crate) writer: JoinHandle<()>,
    pub(crate) scans: Scans,
    pub(crate) upkeep: JoinHandle<()>,
    pub(crate) until: mpsc::Sender<Infallible>,
}

impl SqliteStore {
    /// Opens this file, or makes it where there is none, with the default [`Options`].
    ///
    /// # Errors
    /// One sentence that names the file and says why it is refused; it is then as it was.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::options().open(path)
    }

    /// Options to open a file with.
    pub const fn options() -> Options {
        Options::new()
    }

    /// Runs this in a transaction of its own, on the thread of the store that writes: everything that it decides is
    /// committed together when it answers `Ok`, and nothing otherwise.
    ///
    /// Everybody else who writes waits meanwhile, so it should be over soon unless nobody else is there. A million
    /// decisions take no more memory than one.
    ///
    /// # Errors
    /// Its own, and the store's failures.
    pub async fn bulk<T, E>(&self, run: impl FnOnce(&mut Bulk<'_>) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (task, answered) = Task::new(run);
        self.send(Work::Alone(Box::new(task)))?;
        match answered.await {
            Ok(made) => made,
            Err(oneshot::Canceled) => Err(StoreError::from(StoreErrorKind::Unknown).into()),
        }
    }

    /// Draws another [`Epoch`] for the database, to be done before entries of another journal are put into it. Servers
    /// that have it open follow within a second.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn renew_epoch(&self) -> Result<(), StoreError> {
        let epoch = self.bulk(|bulk| bulk.renew_epoch()).await?;
        self.signals.set_epoch(epoch);
        Ok(())
    }

    /// Looks over everything that is in the file, from one moment: that the schema is this service's, that each row of
    /// each table reads back and is written as the service writes it, that no journal entry was changed, that what is
    /// referred to is there, and what SQLite itself can check.
    ///
    /// Whether the records and the journal tell the same story is
    /// [`audit::verify`](care_core::audit::verify)'s to say.
    ///
    /// # Errors
    /// The first damage that is found, and the store's failures.
    pub async fn check(&self) -> Result<(), CheckError> {
        match self.running()?.scans.run(check).await? {
            Some(damage) => Err(damage.into()),
            None => Ok(()),
        }
    }

    pub(crate) fn send(&self, work: Work) -> Result<(), StoreError> {
        let since = Instant::now();
        let job = Job { since, work, _waiting: self.signals.figures.waiting() };
        let sent = self.running()?.jobs.try_send(job);
        sent.map_err(|refused| {
            StoreError::from(match refused {
                TrySendError::Full(_) => StoreErrorKind::Busy,
                TrySendError::Disconnected(_) => StoreErrorKind::Stopped,
            })
        })
    }

    fn running(&self) -> Result<&Running, StoreError> {
        self.running.as_ref().ok_or_else(|| StoreErrorKind::Stopped.into())
    }
}

#[async_trait]
impl Records for SqliteStore {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        self.readers.read(question)
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        let query = query.clone();
        let scans = &self.running()?.scans;
        scans.run(move |conn| list(conn, &query, limit)).await
    }
}

#[async_trait]
impl Journal for SqliteStore {
    fn epoch(&self) -> Epoch {
        self.signals.epoch()
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        let (answer, answered) = oneshot::channel();
        self.send(Work::Decide { act, decision, answer })?;
        match answered.await {
            Ok(answer) => answer,
            // The writer is gone without a word, so how far it came is not known.
            Err(oneshot::Canceled) => Err(StoreError::from(StoreErrorKind::Unknown).into()),
        }
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        self.bulk(move |bulk| bulk.replay(&entries)).await
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        let scans = &self.running()?.scans;
        scans.run(move |conn| journal::entries(conn, after, limit)).await
    }

    async fn landmark(&self, record: &RecordKey, at: Seq) -> Result<Option<Seq>, StoreError> {
        self.readers.with(|conn| landmarks::nearest(conn, record, at))
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        self.readers.with(journal::last).map(|last| Seq::new(last.unsigned_abs()))
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(self)
    }

    /// Takes its turn in the queue and the lock of the file, as a decision does, and asks for room for a busy second.
    async fn ready(&self) -> Result<(), StoreError> {
        self.bulk(|_| Ok::<_, StoreError>(())).await?;
        match self.signals.room() {
            room if room >= space::LEAST => Ok(()),
            _ => Err(StoreErrorKind::Full.into()),
        }
    }
}

#[async_trait]
impl ApiKeys for SqliteStore {
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        self.readers.with(keys::keys)
    }

    async fn decide_keys(&self, mut decision: KeyDecision) -> Result<(), StoreError> {
        self.bulk(move |bulk| bulk.decide_keys(&mut decision)).await
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        let Some(running) = self.running.take() else {
            return;
        };
        let Running { jobs, writer, scans, upkeep, until } = running;
        drop(until);
        upkeep.thread().unpark();
        threads::join(upkeep);
        scans.stop();
        // Last, because the connection that closes last takes the log over into the file.
        drop(jobs);
        threads::join(writer);
    }
}
