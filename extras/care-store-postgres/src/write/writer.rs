//! The store's one writing thread.

use std::{
    collections::VecDeque,
    sync::{Arc, mpsc::Receiver},
    time::{Duration, Instant},
};

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::{
        TurnLimits,
        queue::{Job, Waiting},
    },
};
use futures_executor::block_on;

use super::bulk::AloneWork;
use crate::{
    base::{blocking, error::Fault, settings::Settings},
    connect::{
        session::Session,
        signals::Signals,
        wire::{Attempt, Wire},
    },
};

/// Most decisions that share one commit.
const MAX_BATCH: usize = 1024;
/// Pause between two attempts to reach a server that is unreachable or busy.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// Every server waits for the lock meanwhile. Each load is a round trip, and the use cases need five at most.
pub(crate) const LIMITS: TurnLimits = TurnLimits { time: Duration::from_secs(2), loads: 1_000 };

/// The work of a job.
pub(crate) enum Work {
    /// A decision, which shares its commit with others.
    Decide(Waiting),
    /// Work that has a transaction to itself.
    Exclusive(AloneWork),
}

/// Owner of the connection that writes.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) wire: Arc<Wire>,
    pub(crate) settings: Settings,
    pub(crate) session: Option<Arc<Session>>,
    /// The attempt to open the next connection. It continues even if the callers that started it no longer wait.
    pub(crate) attempt: Option<Attempt>,
    pub(crate) signals: Arc<Signals>,
    /// Longest wait for a lock or a connection.
    pub(crate) wait: Duration,
    /// Longest wait for the outcome of a commit.
    pub(crate) patience: Duration,
}

impl Writer {
    /// Runs jobs until the queue's sender is dropped and the queue is empty.
    pub(crate) fn run(mut self, jobs: &Receiver<Job<Work>>) {
        let mut waiting = VecDeque::new();
        loop {
            if waiting.is_empty() {
                match jobs.recv() {
                    Ok(job) => waiting.push_back(job),
                    Err(_) => break,
                }
            }
            // It does not wait for company: only what is already in the queue comes along.
            waiting.extend(jobs.try_iter().take(MAX_BATCH.saturating_sub(waiting.len())));
            if self.signals.is_stopped() {
                waiting.drain(..).for_each(|job| fail(job, &StoreErrorKind::Stopped.into()));
                continue;
            }
            match waiting.pop_front() {
                Some(Job { since, work: Work::Exclusive(work), place: _place, span }) => {
                    span.in_scope(|| self.run_exclusive(since, work));
                }
                Some(first) => {
                    waiting.push_front(first);
                    let company = waiting.iter().position(|job| matches!(job.work, Work::Exclusive(_)));
                    let later = waiting.split_off(company.unwrap_or(waiting.len()));
                    waiting = self.batch(waiting);
                    waiting.extend(later);
                }
                None => {}
            }
        }
    }

    /// Returns the connection that writes, and opens a new one if it is broken, within the waiting time of a job that
    /// arrived at this instant.
    pub(crate) fn connected(&mut self, since: Instant) -> Result<Arc<Session>, Fault> {
        loop {
            if let Some(session) = self.session.as_ref().filter(|session| !session.is_closed()) {
                return Ok(Arc::clone(session));
            }
            let left = self.wait.saturating_sub(since.elapsed()).max(PAUSE);
            let mut attempt = self.attempt.take().unwrap_or_else(|| self.wire.attempt(&self.settings));
            let connected = blocking::within(left, &mut attempt);
            if connected.is_none() {
                self.attempt = Some(attempt);
            }
            match connected {
                Some(Ok(session)) => {
                    session.limit(self.wait + self.patience);
                    self.session = Some(Arc::new(session));
                    continue;
                }
                Some(Err(fault)) if !fault.is_lost() && fault.kind() != StoreErrorKind::Busy => return Err(fault),
                Some(Err(fault)) if since.elapsed() >= self.wait => return Err(fault),
                None => return Err(Fault::NoConnection),
                Some(Err(_)) => block_on(self.wire.pause(PAUSE))?,
            }
        }
    }

    /// Returns what a failure before the commit means, and acts on it for later writes.
    pub(crate) fn failed(&mut self, fault: Fault) -> StoreError {
        if fault.is_lost() {
            self.session = None;
        }
        if fault.is_locked() {
            self.signals.holders.look(&self.wire);
        }
        if fault.is_fatal() {
            tracing::error!(error = %fault, "the database is damaged or newer; no more writes");
            self.signals.stop();
        }
        if fault.kind() == StoreErrorKind::Full {
            self.signals.fill();
        }
        fault.into()
    }
}

pub(crate) fn fail(job: Job<Work>, error: &StoreError) {
    match job.work {
        Work::Decide(waiting) => drop(waiting.answer.send(Err(error.clone().into()))),
        Work::Exclusive(work) => work.end(Err(error.clone())),
    }
}
