//! Many decisions, one commit.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::{
        Act, Deciding, Key, Plan, Seen, Step, Stop, Turn,
        queue::{Answer, Job, Waiting},
    },
};
use futures_channel::oneshot;
use futures_executor::block_on;

use super::{
    ahead::{self, Next},
    cache::Cache,
    commit::{Open, Outcome},
    transaction::Transaction,
    writer::{LIMITS, PAUSE, Work, Writer, fail},
};
use crate::{
    base::{error::Fault, figures::Resolved},
    connect::session::Session,
};

/// After this time a batch takes no further decisions, so that those in it are answered. The rest go into the next
/// batch.
const LONGEST: Duration = Duration::from_millis(20);
/// Most times that a batch is run again because another writer came first even though this one had the lock.
const ATTEMPTS: usize = 16;

/// The writes to keep when a decision could not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// None: a write hardly ever fails, and being able to undo one alone costs a round trip for each.
    Nothing,
    /// Those of the other decisions.
    Others,
}

/// The result of an attempt.
enum AttemptResult {
    Done(Vec<Answer>),
    Open(Open, Vec<Answer>),
    Failed(Fault),
}

impl Writer {
    /// Runs these decisions in one transaction, commits once, and then answers them. Returns those for which there was
    /// no time.
    pub(crate) fn batch(&mut self, mut jobs: VecDeque<Job<Work>>) -> VecDeque<Job<Work>> {
        let begun = Instant::now();
        let mut keep = Keep::Nothing;
        let mut attempts = 0..ATTEMPTS;
        while let Some(since) = jobs.front().map(|job| job.since) {
            let result = match self.connected(since) {
                Ok(session) => self.attempt(&session, &mut jobs, keep),
                Err(fault) => AttemptResult::Failed(fault),
            };
            let fault = match result {
                AttemptResult::Done(answers) => return self.answered(jobs, answers, begun),
                AttemptResult::Open(open, answers) => match self.resolve(open) {
                    Resolved::Happened => return self.answered(jobs, answers, begun),
                    Resolved::DidNot => None,
                    Resolved::Unknown => return failed(jobs, answers.len(), &StoreErrorKind::Unknown.into()),
                },
                AttemptResult::Failed(fault) if fault.is_beaten() => None,
                AttemptResult::Failed(fault) => Some(fault),
            };
            let Some(fault) = fault else {
                if attempts.next().is_some() && since.elapsed() < self.patience {
                    continue;
                }
                let all = jobs.len();
                return failed(jobs, all, &StoreErrorKind::Busy.into());
            };
            let error = self.failed(fault);
            match error.kind() {
                StoreErrorKind::Busy => {
                    // Each decision is refused when its own time is up.
                    let late = jobs.iter().take_while(|job| job.since.elapsed() >= self.wait).count();
                    if late > 0 || block_on(self.wire.pause(PAUSE)).is_err() {
                        return failed(jobs, late.max(1), &error);
                    }
                }
                _ if keep == Keep::Nothing && !self.signals.is_stopped() => keep = Keep::Others,
                _ => {
                    let all = jobs.len();
                    return failed(jobs, all, &error);
                }
            }
        }
        jobs
    }

    /// Answers the decisions of a batch that began at this time, and returns the jobs after them.
    fn answered(&self, mut jobs: VecDeque<Job<Work>>, answers: Vec<Answer>, begun: Instant) -> VecDeque<Job<Work>> {
        self.signals.figures.writer.batch(answers.len(), begun);
        for (Job { work, place, .. }, made) in jobs.drain(..answers.len().min(jobs.len())).zip(answers) {
            // A caller that has its answer no longer waits, and may read the figures at once.
            drop(place);
            if let Work::Decide(Waiting { answer, .. }) = work {
                // The caller may have gone; the decision stands all the same.
                let _ = answer.send(made);
            }
        }
        jobs
    }

    /// Runs the decisions in order. They are pure, so they can be run again.
    fn attempt(&self, session: &Session, jobs: &mut VecDeque<Job<Work>>, keep: Keep) -> AttemptResult {
        let (needed, decide): (Vec<Key>, Box<Decide<'_>>) = match jobs.make_contiguous() {
            [Job { work: Work::Decide(Waiting { act, decision, answer }), .. }] => {
                // It resumes after the lock is granted, with what the database holds then.
                let running = Running::begin(act, answer, Deciding::of(decision));
                let needed = running.needed();
                let finish = |transaction: &mut Transaction<'_>| running.finish(transaction);
                (needed, Box::new(move |transaction| Ok(vec![undoable(session, transaction, keep, finish)?])))
            }
            several => {
                let needed = ahead::needed(several, next, &Cache::default());
                (needed, Box::new(move |transaction| decide_all(session, transaction, several, keep)))
            }
        };
        let mut transaction = match Transaction::begin(session, needed) {
            Ok(transaction) => transaction,
            Err(fault) => return AttemptResult::Failed(fault),
        };
        self.signals.set_epoch(transaction.epoch);
        match decide(&mut transaction) {
            Ok(answers) if !transaction.has_written => {
                // A refusal makes no promise, but "nothing to do" relies on what was read.
                if answers.iter().all(Result::is_err) {
                    transaction.roll_back();
                    return AttemptResult::Done(answers);
                }
                transaction.settle(self, session).map_or_else(AttemptResult::Failed, |()| AttemptResult::Done(answers))
            }
            Ok(answers) => match transaction.commit(self, session) {
                Outcome::Committed => AttemptResult::Done(answers),
                Outcome::Not(fault) => AttemptResult::Failed(fault),
                Outcome::Open(open) => AttemptResult::Open(open, answers),
            },
            Err(fault) => {
                transaction.roll_back();
                AttemptResult::Failed(fault)
            }
        }
    }
}

/// Runs decisions in a transaction, and returns their answers.
type Decide<'a> = dyn FnOnce(&mut Transaction<'_>) -> Result<Vec<Answer>, Fault> + 'a;

/// A decision that is running.
struct Running<'a, F> {
    act: &'a Act,
    answer: &'a oneshot::Sender<Answer>,
    deciding: Deciding<F>,
    step: Step<Plan>,
}

impl<'a, F: FnMut(&mut Seen) -> Result<Plan, Stop>> Running<'a, F> {
    /// Runs its first step, unless its caller no longer waits for it.
    fn begin(act: &'a Act, answer: &'a oneshot::Sender<Answer>, mut deciding: Deciding<F>) -> Self {
        let step = match Turn::begin(act, answer, LIMITS) {
            Ok(_) => deciding.step(),
            Err(error) => Step::Refused(error.into()),
        };
        Self { act, answer, deciding, step }
    }

    /// Returns the keys that its first step needs.
    fn needed(&self) -> Vec<Key> {
        match &self.step {
            Step::Need(keys) => keys.to_vec(),
            Step::Done(_) | Step::Refused(_) => Vec::new(),
        }
    }

    /// Runs it to its end. A database failure affects the whole batch; a refusal only this decision.
    fn finish(mut self, transaction: &mut Transaction<'_>) -> Result<Answer, Fault> {
        // Its time limit starts only now, so that waiting for the lock does not count.
        let mut turn = match Turn::begin(self.act, self.answer, LIMITS) {
            Ok(turn) => turn,
            Err(error) => return Ok(Err(error.into())),
        };
        loop {
            match self.step {
                Step::Need(keys) => {
                    if let Err(error) = turn.next(keys.len()) {
                        return Ok(Err(error.into()));
                    }
                    let found = transaction.load(&keys)?;
                    keys.into_iter().zip(found).for_each(|(key, found)| self.deciding.enter(key, found));
                    self.step = self.deciding.step();
                }
                Step::Done(plan) if plan.is_empty() => return Ok(Ok(None)),
                Step::Done(plan) => return Ok(Ok(Some(transaction.enter(self.act, plan)?))),
                Step::Refused(error) => return Ok(Err(error)),
            }
        }
    }
}

/// Runs each decision, and adds its changes to the transaction.
fn decide_all(
    session: &Session,
    transaction: &mut Transaction<'_>,
    jobs: &mut [Job<Work>],
    keep: Keep,
) -> Result<Vec<Answer>, Fault> {
    if keep == Keep::Nothing {
        ahead::load(transaction, jobs, next)?;
    }
    // If the database is far away, the loads alone take longer than the limit.
    let since = Instant::now();
    let mut answers = Vec::with_capacity(jobs.len());
    for job in jobs {
        if !answers.is_empty() && since.elapsed() > LONGEST {
            break;
        }
        let Work::Decide(Waiting { act, decision, answer }) = &mut job.work else {
            break;
        };
        let running = Running::begin(act, answer, Deciding::of(decision));
        answers.push(undoable(session, transaction, keep, |transaction| running.finish(transaction))?);
    }
    Ok(answers)
}

/// Runs one decision so that it can be rolled back alone, if the others are to be kept.
fn undoable(
    session: &Session,
    transaction: &mut Transaction<'_>,
    keep: Keep,
    decide: impl FnOnce(&mut Transaction<'_>) -> Result<Answer, Fault>,
) -> Result<Answer, Fault> {
    if keep == Keep::Nothing {
        return decide(transaction);
    }
    let before = (transaction.last, transaction.first, transaction.has_written);
    session.wait_for(session.execute("SAVEPOINT decision"))?;
    let decided = decide(transaction).and_then(|made| transaction.write([]).map(|()| made));
    let answer = match decided {
        Ok(answer) => answer,
        Err(fault) if fault.is_lost() || fault.is_beaten() || fault.is_fatal() => return Err(fault),
        Err(fault) => {
            session.wait_for(session.execute("ROLLBACK TO SAVEPOINT decision"))?;
            transaction.back_to(before);
            Err(StoreError::from(fault).into())
        }
    };
    session.wait_for(session.execute("RELEASE SAVEPOINT decision"))?;
    Ok(answer)
}

/// Returns a job's decision with its turn, if its caller still waits for it.
fn next(job: &mut Job<Work>) -> Option<Next<'_>> {
    let Work::Decide(Waiting { act, decision, answer }) = &mut job.work else {
        return None;
    };
    Some(Next { turn: Some(Turn::begin(act, answer, LIMITS).ok()?), decision })
}

/// Fails the first jobs, and returns the others.
fn failed(mut jobs: VecDeque<Job<Work>>, count: usize, error: &StoreError) -> VecDeque<Job<Work>> {
    jobs.drain(..count.min(jobs.len())).for_each(|job| fail(job, error));
    jobs
}
