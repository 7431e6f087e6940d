//! The store.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        mpsc::{self, SyncSender},
    },
    thread::JoinHandle,
};

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::{ApiKey, Timestamp},
    store::{
        Act, ApiKeys, CheckError, CommitNotifier, Decision, Entry, Epoch, Head, Journal, KeyDecision, Limit,
        Maintenance, Portion, Query, Question, Record, RecordKey, Records, ReplayError, Seq, Versioned, Work,
        find::SearchBudget,
        queue::{Job, Task, Waiting, answered, join, send},
        unless_inside_a_commit,
    },
};
use futures_channel::oneshot;

use crate::{
    base::{journal, signals::Signals, skip_pointers},
    file::space,
    read::{check::check, list::list_within, readers::Readers, scans::Scans},
    write::{bulk::Bulk, writer},
};

/// A store in one SQLite file. When [`transact`](Journal::transact) returns, the change is on disk.
///
/// No async runtime is needed: decisions run on a thread of the store, point reads on the caller's, lists and the
/// journal on a few more threads. Dropping the store closes the file and releases it, which may take as long as the
/// last write. A decision whose future was dropped is not begun, and one under way ends before its next load.
#[derive(Debug)]
pub struct SqliteStore {
    pub(crate) readers: Arc<Readers>,
    pub(crate) signals: Arc<Signals>,
    /// The parts of the store, until it is dropped.
    pub(crate) running: Option<Running>,
}

/// The threads of a store, and their shared state.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) scans: Scans,
    /// `None` for a backup, which is only read.
    pub(crate) writing: Option<Writing>,
}

/// The threads that write, and their queue.
#[derive(Debug)]
pub(crate) struct Writing {
    pub(crate) jobs: SyncSender<Job<writer::Work>>,
    pub(crate) writer: JoinHandle<()>,
    pub(crate) upkeep: JoinHandle<()>,
    pub(crate) until: mpsc::Sender<Infallible>,
}

impl SqliteStore {
    /// Calls `run` in a transaction of its own, on the store's writing thread: all its decisions are committed together
    /// when it returns `Ok`, and none otherwise.
    async fn bulk<T, E>(&self, run: impl FnOnce(&mut Bulk<'_>) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (task, made) = Task::new(run);
        self.send(writer::Work::Exclusive(Box::new(task)))?;
        answered(made).await
    }

    /// Draws a new [`Epoch`] for the database. Call it before adding entries of another journal. Servers that have the
    /// database open follow within a second.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn renew_epoch(&self) -> Result<(), StoreError> {
        let epoch = self.bulk(|bulk| bulk.renew_epoch()).await?;
        self.signals.set_epoch(epoch);
        Ok(())
    }

    fn send(&self, work: writer::Work) -> Result<(), StoreError> {
        let writing = self.running()?.writing.as_ref().ok_or(StoreErrorKind::Unsupported)?;
        send(&writing.jobs, work, &self.signals.figures.writer)
    }

    fn running(&self) -> Result<&Running, StoreError> {
        unless_inside_a_commit()?;
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
        scans.run(move |conn, is_wanted| list_within(conn, &query, limit, &SearchBudget::while_wanted(is_wanted))).await
    }
}

#[async_trait]
impl Journal for SqliteStore {
    fn epoch(&self) -> Epoch {
        self.signals.epoch()
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        let (answer, made) = oneshot::channel();
        self.send(writer::Work::Decide(Waiting { act, decision, answer }))?;
        answered(made).await
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        self.bulk(move |bulk| bulk.replay(&entries)).await
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        let scans = &self.running()?.scans;
        scans.run(move |conn, _| journal::entries(conn, after, limit)).await
    }

    async fn skip_pointer(&self, record: &RecordKey, at: Seq) -> Result<Option<Seq>, StoreError> {
        self.readers.with(|conn| skip_pointers::nearest(conn, record, at))
    }

    async fn instants(&self, entries: &[Seq]) -> Result<Vec<Timestamp>, StoreError> {
        self.readers.with(|conn| journal::instants(conn, entries))
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        self.readers.with(journal::last)
    }

    async fn head(&self) -> Result<Head, StoreError> {
        self.readers.with(journal::head)
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        self.signals.notifiers.add(notifier);
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
        self.readers.with(journal::keys)
    }

    async fn decide_keys(&self, mut decision: KeyDecision) -> Result<(), StoreError> {
        self.bulk(move |bulk| bulk.decide_keys(&mut decision)).await
    }

    async fn replayed(&self) -> Result<Seq, StoreError> {
        self.readers.with(journal::replayed)
    }
}

#[async_trait]
impl Maintenance for SqliteStore {
    /// Runs the work on the thread that writes. A million decisions take no more memory than one.
    async fn alone(&self, work: Work) -> Result<(), Error> {
        self.bulk(move |bulk| work(bulk)).await
    }

    /// Checks that the schema is this service's, that each row reads back and has the form that the service writes,
    /// that references point to records, and what SQLite itself checks.
    async fn check(&self) -> Result<(), CheckError> {
        match self.running()?.scans.run(|conn, _| check(conn)).await? {
            Some(damage) => Err(damage.into()),
            None => Ok(()),
        }
    }

    /// Rewrites the file and empties its log, so that neither contains erased, changed or removed data, nor the files
    /// that an interrupted process has left beside it.
    ///
    /// It takes about as long as a copy of the file, for which there must be room twice. Reads continue meanwhile, also
    /// in a server, and writes that wait too long are refused as busy.
    async fn scrub(&self) -> Result<(), StoreError> {
        let (answer, scrubbed) = oneshot::channel();
        self.send(writer::Work::Scrub(answer))?;
        answered(scrubbed).await
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        let Some(running) = self.running.take() else {
            return;
        };
        let Running { scans, writing } = running;
        let Some(Writing { jobs, writer, upkeep, until }) = writing else {
            return scans.stop();
        };
        drop(until);
        upkeep.thread().unpark();
        join(upkeep);
        scans.stop();
        // This is dropped last, because the last connection to close copies the log into the file.
        drop(jobs);
        join(writer);
    }
}

#[cfg(test)]
mod tests {
    use care_core::{
        model::PatientDetails,
        service::{CareService, ExpectedVersion},
    };
    use futures_executor::block_on;

    use super::*;

    #[test]
    fn what_is_rolled_back_is_never_the_newest_entry() {
        let directory = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(directory.path().join("care.db")).unwrap());
        let care = CareService::new(Arc::clone(&store));
        let refused = care.together(async move |care| {
            care.register_patient(PatientDetails::default()).await?;
            care.void_patient(7.try_into().unwrap(), ExpectedVersion::Any).await
        });
        assert!(block_on(refused).is_err());
        assert_eq!(store.signals.newest(), Seq::ZERO);
    }
}
