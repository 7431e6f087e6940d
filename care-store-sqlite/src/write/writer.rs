//! The thread that writes.

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{Arc, mpsc::Receiver},
    thread,
    time::{Duration, Instant},
};

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::queue::{Exclusive, Job, Waiting},
};
use futures_channel::oneshot;
use rusqlite::Connection;

use super::{bulk::Bulk, callbacks};
use crate::{
    base::{error::Fault, journal, signals::Signals},
    file::{lock::Ownership, place::Place, schema},
    read::readers::Readers,
    wal::upkeep::Rewind,
};

/// The highest number of decisions in one commit.
const MAX_BATCH: usize = 1024;

/// The pause of a guest after it has kept other processes waiting, long enough for one of their attempts, see
/// [`callbacks::POLL`].
const BREAK: Duration = Duration::from_millis(5);

/// An owner that has not been without work for this long leaves guests a moment, since SQLite's lock has no queue.
const SPELL: Duration = Duration::from_millis(250);

/// That moment, long enough for another process to meet it, see [`callbacks::POLL`].
const MOMENT: Duration = Duration::from_millis(3);

/// The work of a job.
pub(crate) enum Work {
    /// A decision, which shares its commit with others.
    Decide(Waiting),
    /// Work with a transaction of its own.
    Exclusive(Box<dyn for<'a> Exclusive<Bulk<'a>>>),
    /// Rewriting the file without free pages, and emptying the log.
    Scrub(oneshot::Sender<Result<(), StoreError>>),
}

/// The owner of the connection that writes, and with it of the file.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) path: PathBuf,
    // The connection is closed before the file is released, hence this order.
    pub(crate) conn: Connection,
    pub(crate) ownership: Ownership,
    pub(crate) place: Place,
    pub(crate) readers: Arc<Readers>,
    pub(crate) signals: Arc<Signals>,
    /// The longest wait for another process's lock.
    pub(crate) wait: Duration,
}

impl Writer {
    /// Runs jobs until the other end of the queue is dropped and the queue is empty.
    pub(crate) fn run(mut self, jobs: &Receiver<Job<Work>>) {
        callbacks::write_for(&self.signals);
        let mut rewind = Rewind::new(&self.path, &self.signals.log);
        let mut waiting = Vec::new();
        let mut rested = Instant::now();
        loop {
            if waiting.is_empty() {
                let next = jobs.try_recv().or_else(|_| {
                    let next = jobs.recv();
                    rested = Instant::now();
                    next
                });
                match next {
                    Ok(job) => waiting.push(job),
                    Err(_) => break,
                }
            }
            if rested.elapsed() >= SPELL {
                thread::sleep(MOMENT);
                rested = Instant::now();
            }
            if self.signals.is_stopped() {
                fail(waiting.drain(..), &StoreErrorKind::Stopped.into());
            } else if let Work::Scrub(_) = waiting[0].work {
                self.scrub(waiting.remove(0));
            } else if let Err(error) = self.begin(&waiting) {
                let is_busy = error.kind() == StoreErrorKind::Busy;
                // While another process has the lock, each job is refused when its own time is up.
                let late = |job: &Job<Work>| !is_busy || job.since.elapsed() >= self.wait;
                let late = waiting.iter().take_while(|job| late(job)).count().max(1);
                fail(waiting.drain(..late), &error);
            } else if matches!(waiting[0].work, Work::Exclusive(_)) {
                self.run_exclusive(waiting.remove(0));
                rewind.if_due(&self.conn, &self.readers, &self.signals);
                if !self.ownership.is_held() && self.ownership.has_company() {
                    // SQLite's lock has no queue: a process that takes it again at once would keep it.
                    thread::sleep(BREAK);
                }
            } else {
                // The batch takes all jobs that are waiting now, and does not wait for more.
                waiting.extend(jobs.try_iter().take(MAX_BATCH.saturating_sub(waiting.len())));
                let company = waiting.iter().position(|job| !matches!(job.work, Work::Decide(_)));
                let company = company.unwrap_or(waiting.len());
                let later = waiting.split_off(company);
                let mut left = self.batch(mem::replace(&mut waiting, later));
                left.append(&mut waiting);
                waiting = left;
                rewind.if_due(&self.conn, &self.readers, &self.signals);
            }
        }
        // The last connection to close copies the log into the file, which a read-only one cannot.
        self.readers.close();
        let Self { path, conn, ownership, signals, .. } = self;
        if conn.close().is_ok()
            && !signals.is_stopped()
            && let Err(error) = ownership.leave(&path)
        {
            tracing::warn!(%error, "how the database was left is not noted; it is looked over when it is opened again");
        }
    }

    /// Takes the write lock, and waits for it as long as the first waiting job has time.
    fn begin(&mut self, waiting: &[Job<Work>]) -> Result<(), StoreError> {
        let since = waiting.first().map_or_else(Instant::now, |job| job.since);
        callbacks::wait_until(since + self.wait);
        self.execute("BEGIN IMMEDIATE").and_then(|()| self.is_still_current()).map_err(|fault| self.failed(fault))
    }

    /// Checks that the schema is still current: a newer server may migrate the file beside a guest.
    pub(crate) fn is_still_current(&self) -> Result<(), Fault> {
        if self.ownership.is_held() || schema::version(&self.conn)? == schema::VERSION {
            return Ok(());
        }
        self.roll_back();
        Err(Fault::Newer)
    }

    /// Runs the single job of the transaction that has begun.
    fn run_exclusive(&self, job: Job<Work>) {
        let _entered = job.span.entered();
        let Work::Exclusive(mut work) = job.work else {
            return;
        };
        let mut bulk = Bulk::new(&self.conn);
        let is_kept = catch_unwind(AssertUnwindSafe(|| work.run(&mut bulk) && bulk.write_terms().is_ok()));
        let outcome = match (is_kept, bulk.end()) {
            (Ok(true), Ok(has_written)) => {
                let committed = self.commit(has_written);
                if committed.is_ok() && has_written {
                    journal::announce_last(&self.conn, &self.signals);
                }
                committed
            }
            (Ok(false), Ok(_)) => {
                // A rolled back entry never existed, and no reader could ever see it.
                self.roll_back();
                self.note_newest();
                Ok(())
            }
            (_, Err(fault)) => {
                self.roll_back();
                Err(self.failed(fault))
            }
            (Err(_), _) => {
                self.roll_back();
                Err(StoreErrorKind::Broken.into())
            }
        };
        work.end(outcome);
    }

    pub(crate) fn commit(&self, has_written: bool) -> Result<(), StoreError> {
        let is_in_place = !has_written || self.signals.stop_unless_in_place(self.place.missing());
        if self.signals.is_stopped() || !is_in_place {
            self.roll_back();
            return Err(StoreErrorKind::Stopped.into());
        }
        if !has_written {
            self.note_newest();
        }
        let since = Instant::now();
        let committed = self.execute("COMMIT");
        if has_written {
            self.signals.figures.writer.commit(since, committed.is_ok());
        }
        match committed {
            Ok(()) if !has_written => Ok(()),
            Ok(()) => {
                self.signals.committed();
                // The file was removed between the two: the commit may be in a file that has no path.
                match self.signals.stop_unless_in_place(self.place.missing_data()) {
                    true => Ok(()),
                    false => Err(StoreErrorKind::Unknown.into()),
                }
            }
            Err(fault) => {
                let kind = fault.kind_at_commit();
                if kind == StoreErrorKind::Unknown {
                    tracing::error!(error = ?fault, "the outcome of a commit is unknown; no more writes");
                    self.signals.stop();
                } else {
                    tracing::warn!(error = ?fault, "a commit failed");
                }
                self.roll_back();
                Err(StoreError::new(kind, fault))
            }
        }
    }

    /// Notes the last entry before an answer without a commit, which may tell what another process has written.
    fn note_newest(&self) {
        match journal::last(&self.conn) {
            Ok(last) => self.signals.sees(last),
            Err(fault) => tracing::debug!(error = %fault, "the journal could not be read"),
        }
    }

    pub(crate) fn roll_back(&self) {
        if !self.conn.is_autocommit()
            && let Err(fault) = self.execute("ROLLBACK")
        {
            tracing::error!(error = ?fault, "a transaction was not rolled back; no more writes");
            self.signals.stop();
        }
    }

    /// Returns the meaning of a fault before the commit, for the caller and for later jobs.
    pub(crate) fn failed(&self, fault: Fault) -> StoreError {
        if fault.is_failed_sync() {
            tracing::error!(error = ?fault, "the disk did not confirm a write; no more writes");
            self.signals.stop();
        }
        fault.into()
    }

    pub(crate) fn execute(&self, sql: &str) -> Result<(), Fault> {
        self.conn.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}

pub(crate) fn fail(jobs: impl Iterator<Item = Job<Work>>, error: &StoreError) {
    for job in jobs {
        match job.work {
            Work::Decide(Waiting { answer, .. }) => drop(answer.send(Err(error.clone().into()))),
            Work::Exclusive(work) => work.end(Err(error.clone())),
            Work::Scrub(answer) => drop(answer.send(Err(error.clone()))),
        }
    }
}
