//! The store itself.

use std::{
    sync::{Arc, mpsc::SyncSender},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::{ApiKey, Timestamp},
    store::{
        Act, ApiKeys, CheckError, CommitNotifier, Decision, Entry, Epoch, Head, Journal, KeyDecision, Limit,
        Maintenance, Portion, Query, Question, Record, Records, ReplayError, Seq, Versioned, Work,
        queue::{Job, Task, Waiting, answered, join, send},
        sql, unless_inside_a_commit,
    },
};
use futures_channel::oneshot;
use tokio_postgres::Row;

use crate::{
    base::error::Fault,
    connect::{pool::Pool, session::Request, signals::Signals, wire::Wire},
    read::{
        check::check,
        journal,
        list::list,
        question::ask,
        ready::{Probe, probe},
    },
    write::{bulk::Bulk, vacuum::vacuum, writer},
};

/// Pause between two looks for the answer to a commit that other connections already see, and how many looks there are.
const ANSWER_PAUSE: Duration = Duration::from_millis(5);
const ANSWER_LOOKS: usize = 20;

/// A store in a PostgreSQL database. An answer to [`transact`](Journal::transact) means that the write is as durable as
/// the database itself: with a synchronous standby, it is on two machines.
///
/// Any number of stores, in any number of processes, may have one database open at the same time. No async runtime is
/// needed: one thread of the store drives the sockets, another runs the decisions. Dropping the store ends both, which
/// may take as long as the last write. A decision whose future was dropped is not started; one that is running ends
/// before its next load.
#[derive(Debug)]
pub struct PostgresStore {
    pub(crate) pool: Arc<Pool>,
    pub(crate) signals: Arc<Signals>,
    pub(crate) probe: Probe,
    /// The store's threads, until it is dropped.
    pub(crate) running: Option<Running>,
}

/// The threads of a store, and the handles that keep them running.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) jobs: SyncSender<Job<writer::Work>>,
    pub(crate) writer: JoinHandle<()>,
    pub(crate) wire: Arc<Wire>,
}

/// Runs a read, and runs it again on another connection if its connection breaks.
macro_rules! retried {
    ($store:ident, $read:expr) => {{
        unless_inside_a_commit()?;
        let since = Instant::now();
        loop {
            match $read.await {
                Ok(found) => break Ok(found),
                Err(fault) => match $store.pool.again(since, fault).await {
                    Ok(()) => {}
                    Err(fault) => {
                        $store.say_holder(&fault);
                        break Err(StoreError::from(fault));
                    }
                },
            }
        }
    }};
}

impl PostgresStore {
    /// Runs a closure in a transaction of its own, on the store's writing thread. Everything that it decides is
    /// committed together if it returns `Ok`, and none of it otherwise.
    async fn bulk<T, E>(&self, run: impl FnOnce(&mut Bulk<'_>) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (task, made) = Task::new(run);
        self.send(writer::Work::Exclusive(Box::new(task)))?;
        answered(made).await
    }

    /// Gives the database a new [`Epoch`]. Call it before entries of another journal are imported. Servers that have
    /// the database open follow within a second.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn renew_epoch(&self) -> Result<(), StoreError> {
        let epoch = self.bulk(|bulk| bulk.renew_epoch()).await?;
        self.signals.set_epoch(epoch);
        Ok(())
    }

    /// Returns whether this store was the last to commit, and no other store has committed since it began to. Where
    /// several servers stand behind one address, writes are fastest on the server for which this is true. Every other
    /// server accepts writes too.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn is_writer(&self) -> Result<bool, StoreError> {
        let last = self.last().await?;
        // Other connections can see a commit before this store has its answer.
        for _ in 0..ANSWER_LOOKS {
            if let Some(is_own) = self.signals.has_committed(last) {
                return Ok(is_own);
            }
            self.pool.wire.pause(ANSWER_PAUSE).await?;
        }
        Ok(false)
    }

    fn send(&self, work: writer::Work) -> Result<(), StoreError> {
        unless_inside_a_commit()?;
        let running = self.running.as_ref().ok_or(StoreErrorKind::Stopped)?;
        send(&running.jobs, work, &self.signals.figures.writer)
    }

    /// Runs one statement without parameters.
    async fn single(&self, sql: &'static str) -> Result<Vec<Row>, StoreError> {
        retried!(self, async { self.pool.lend().await?.single(Request::new(sql, [])).await })
    }

    async fn is_ready(&self) -> Result<(), StoreError> {
        retried!(self, probe(&self.pool))
    }

    /// Logs who holds the lock on which a read timed out.
    fn say_holder(&self, fault: &Fault) {
        if let Some(running) = self.running.as_ref().filter(|_| fault.is_locked()) {
            self.signals.holders.look(&running.wire);
        }
    }
}

#[async_trait]
impl Records for PostgresStore {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        retried!(self, ask(&self.pool, question))?
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        retried!(self, async { list(&mut self.pool.snapshot().await?, query, limit).await })
    }
}

#[async_trait]
impl Journal for PostgresStore {
    fn epoch(&self) -> Epoch {
        self.signals.epoch()
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        let (answer, made) = oneshot::channel();
        self.send(writer::Work::Decide(Waiting { act, decision, answer }))?;
        answered(made).await
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        self.bulk(move |bulk| bulk.replay(entries)).await
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        retried!(self, async { journal::entries(&mut self.pool.snapshot().await?, after, limit).await })
    }

    async fn instants(&self, entries: &[Seq]) -> Result<Vec<Timestamp>, StoreError> {
        retried!(self, async {
            let rows = match journal::instants(entries) {
                Some(request) => self.pool.lend().await?.single(request).await?,
                None => Vec::new(),
            };
            journal::instants_of(entries, &rows)
        })
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        Ok(journal::seq(&self.single(sql::LAST).await?)?)
    }

    async fn head(&self) -> Result<Head, StoreError> {
        Ok(journal::head(&self.single(sql::HEAD).await?)?)
    }

    async fn ready(&self) -> Result<(), StoreError> {
        match (self.signals.is_stopped(), self.signals.is_full()) {
            (true, _) => Err(StoreErrorKind::Stopped.into()),
            (false, true) => Err(StoreErrorKind::Full.into()),
            (false, false) => {
                let find = || async { self.is_ready().await.map_err(|error| error.kind()) };
                self.probe.found(find).await.map_err(Into::into)
            }
        }
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(self)
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        self.signals.notifiers.add(notifier);
    }
}

#[async_trait]
impl ApiKeys for PostgresStore {
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        Ok(journal::keys(&self.single(sql::KEYS).await?)?)
    }

    async fn decide_keys(&self, mut decision: KeyDecision) -> Result<(), StoreError> {
        self.bulk(move |bulk| bulk.decide_keys(&mut decision)).await
    }

    async fn replayed(&self) -> Result<Seq, StoreError> {
        Ok(journal::seq(&self.single(journal::REPLAYED).await?)?)
    }
}

#[async_trait]
impl Maintenance for PostgresStore {
    /// Runs the work on the thread that writes. Every other writer on every server waits meanwhile. A million decisions
    /// need no more memory than a few thousand.
    async fn alone(&self, work: Work) -> Result<(), Error> {
        self.bulk(move |bulk| work(bulk)).await
    }

    /// Checks in one snapshot that the tables belong to this service, that each row of each table can be read and is
    /// written as the service writes it, and that no key was changed.
    async fn check(&self) -> Result<(), CheckError> {
        let checked =
            retried!(self, async { check(&mut self.pool.snapshot().await?.at_leisure(), self.pool.schema()).await })?;
        checked.map_or(Ok(()), |damage| Err(damage.into()))
    }

    /// Vacuums the tables, so that none of their rows or index entries holds erased, changed or removed data, and
    /// refreshes PostgreSQL's statistics, so that they hold none either. Reads and writes continue meanwhile. It fails
    /// if PostgreSQL skips a table that belongs to another role; erased data may then remain in it.
    ///
    /// The operator clears the rest. Rows that an open snapshot may still see stay until a later vacuum, and so do the
    /// statistics of a table without rows. Vacuum leaves the bytes in free space until they are overwritten; `VACUUM
    /// FULL` rewrites the tables while nothing else runs. The write-ahead log, its archives and backups hold what they
    /// held until they are removed. Standbys follow the primary.
    async fn scrub(&self) -> Result<(), StoreError> {
        unless_inside_a_commit()?;
        Ok(vacuum(&self.pool).await?)
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        let Some(Running { jobs, writer, wire }) = self.running.take() else {
            return;
        };
        drop(jobs);
        join(writer);
        self.pool.close();
        drop(wire);
    }
}
