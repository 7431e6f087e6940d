//! The store itself.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        mpsc::{SyncSender, TrySendError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::{ApiKey, Timestamp},
    store::{
        Act, ApiKeys, CheckError, CommitNotifier, Damage, Decision, Entry, Epoch, Head, Journal, KeyDecision, Limit,
        Link, Maintenance, Portion, Query, Question, Record, Records, ReplayError, Seq, Versioned, rows::RowReader,
    },
};
use futures_channel::oneshot;

use crate::{
    base::{error::Fault, records::Cells},
    connect::{pool::Pool, session::Request, signals::Signals, wire::Wire},
    read::{
        check::check,
        journal, keys,
        list::list,
        news::News,
        question::ask,
        ready::{Probe, probe},
    },
    write::{
        bulk::{Bulk, Task},
        job::{Job, Waiting, Work},
    },
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
    pub(crate) news: News,
    pub(crate) probe: Probe,
    /// The store's threads, until it is dropped.
    pub(crate) running: Option<Running>,
}

/// The threads of a store, and the handles that keep them running.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) jobs: SyncSender<Job>,
    pub(crate) writer: JoinHandle<()>,
    pub(crate) wire: Arc<Wire>,
}

/// Runs a read, and runs it again on another connection if its connection breaks.
macro_rules! retried {
    ($store:ident, $read:expr) => {{
        let attempts = $store.pool.attempts();
        loop {
            match $read.await {
                Ok(found) => break Ok(found),
                Err(fault) => match attempts.again(fault).await {
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
    ///
    /// Every other writer on every server waits meanwhile, so keep it short unless there is no other writer. A million
    /// decisions need no more memory than a few thousand.
    ///
    /// # Errors
    /// The closure's own error, and the store's failures.
    pub async fn bulk<T, E>(&self, run: impl FnOnce(&mut Bulk<'_>) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (task, answered) = Task::new(run);
        self.send(Work::Exclusive(Box::new(task)))?;
        match answered.await {
            Ok(made) => made,
            Err(oneshot::Canceled) => Err(StoreError::from(StoreErrorKind::Unknown).into()),
        }
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

    /// Checks everything in the schema, in one snapshot: that the tables belong to this service, that each row of each
    /// table can be read and is written as the service writes it, and that no key was changed.
    ///
    /// [`audit::verify`](care_core::audit::verify) checks the chain of the journal, and whether the records agree with
    /// the journal.
    ///
    /// # Errors
    /// The first damage that is found, and the store's failures.
    pub async fn check(&self) -> Result<(), CheckError> {
        let checked = retried!(self, self.read_everything())?;
        checked.map_or(Ok(()), |damage| Err(damage.into()))
    }

    async fn read_everything(&self) -> Result<Option<Damage>, Fault> {
        check(&mut self.pool.snapshot().await?.at_leisure(), self.pool.schema()).await
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
            self.pool.pause(ANSWER_PAUSE).await?;
        }
        Ok(false)
    }

    fn send(&self, work: Work) -> Result<(), StoreError> {
        let running = self.running.as_ref().ok_or(StoreErrorKind::Stopped)?;
        let place = self.signals.figures.writer.waiting();
        let sent = running.jobs.try_send(Job { since: Instant::now(), work, place });
        sent.map_err(|refused| {
            StoreError::from(match refused {
                TrySendError::Full(_) => StoreErrorKind::Busy,
                TrySendError::Disconnected(_) => StoreErrorKind::Stopped,
            })
        })
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

    async fn read_list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, Fault> {
        list(&mut self.pool.snapshot().await?, query, limit).await
    }

    async fn read_journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, Fault> {
        journal::entries(&mut self.pool.snapshot().await?, after, limit).await
    }

    async fn read_instants(&self, entries: &[Seq]) -> Result<Vec<Timestamp>, Fault> {
        let Some(request) = journal::instants(entries) else {
            return Ok(Vec::new());
        };
        let rows = self.pool.lend().await?.single(request).await?;
        let times = rows.iter().map(|row| {
            let mut cells = Cells::new("journal", row);
            Ok((Seq::new(cells.get::<u64>()?), cells.get::<Timestamp>()?))
        });
        let times: HashMap<_, _> = times.collect::<Result<_, Fault>>()?;
        entries.iter().map(|entry| times.get(entry).copied().ok_or(Fault::Unexpected)).collect()
    }

    async fn read_last(&self) -> Result<Seq, Fault> {
        let rows = self.pool.lend().await?.single(Request::new(journal::LAST, [])).await?;
        let mut cells = Cells::new("journal", rows.first().ok_or(Fault::Unexpected)?);
        Ok(Seq::new(cells.get::<u64>()?))
    }

    async fn read_head(&self) -> Result<Head, Fault> {
        let rows = self.pool.lend().await?.single(Request::new(journal::HEAD, [])).await?;
        let Some(row) = rows.first() else {
            return Ok(Head::START);
        };
        let mut cells = Cells::new("journal", row);
        Ok(Head { seq: Seq::new(cells.get::<u64>()?), link: Link::new(cells.bytes()?) })
    }

    async fn read_replayed(&self) -> Result<Seq, Fault> {
        keys::replayed(&self.pool.lend().await?.single(Request::new(keys::REPLAYED, [])).await?)
    }

    async fn read_keys(&self) -> Result<Vec<ApiKey>, Fault> {
        keys::keys(&self.pool.lend().await?.single(Request::new(keys::SELECT, [])).await?)
    }
}

#[async_trait]
impl Records for PostgresStore {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        retried!(self, ask(&self.pool, question))?
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        retried!(self, self.read_list(query, limit))
    }
}

#[async_trait]
impl Journal for PostgresStore {
    fn epoch(&self) -> Epoch {
        self.signals.epoch()
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        let (answer, answered) = oneshot::channel();
        self.send(Work::Decide(Waiting { act, decision, answer }))?;
        match answered.await {
            Ok(answer) => answer,
            // The writer has vanished without an answer, so how far it got is not known.
            Err(oneshot::Canceled) => Err(StoreError::from(StoreErrorKind::Unknown).into()),
        }
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        self.bulk(move |bulk| bulk.replay(entries)).await
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        retried!(self, self.read_journal(after, limit))
    }

    async fn instants(&self, entries: &[Seq]) -> Result<Vec<Timestamp>, StoreError> {
        retried!(self, self.read_instants(entries))
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        retried!(self, self.read_last())
    }

    async fn head(&self) -> Result<Head, StoreError> {
        retried!(self, self.read_head())
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
        self.news.add_notifier(notifier);
    }
}

#[async_trait]
impl ApiKeys for PostgresStore {
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        retried!(self, self.read_keys())
    }

    async fn decide_keys(&self, mut decision: KeyDecision) -> Result<(), StoreError> {
        self.bulk(move |bulk| bulk.decide_keys(&mut decision)).await
    }

    async fn replayed(&self) -> Result<Seq, StoreError> {
        retried!(self, self.read_replayed())
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        let Some(Running { jobs, writer, wire }) = self.running.take() else {
            return;
        };
        drop(jobs);
        if writer.thread().id() != thread::current().id() {
            // If the thread panicked, it has already reported that.
            let _ = writer.join();
        }
        self.pool.close();
        drop(wire);
    }
}
