//! Batches: many decisions in one commit.

use std::time::{Duration, Instant};

use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    store::{
        Act, Deciding, Head, Plan, Turn, TurnLimits,
        queue::{Answer, Job, Waiting},
    },
};

use super::{
    apply::Latest,
    writer::{Work, Writer, fail},
};
use crate::base::{error::Fault, journal};

/// The time after which a batch takes no further decision, so that those in it are answered. The others come next.
const LONGEST: Duration = Duration::from_millis(20);

/// The decisions to keep when one cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// None: hardly any write ever fails, and the ability to undo a single one costs a tenth of each.
    Nothing,
    /// Those before it.
    Others,
}

/// The result of an attempt.
struct Attempt {
    answers: Vec<Answer>,
    /// The last entry that was written.
    last: Option<Head>,
}

/// The reason why there is nothing to commit.
enum Failure {
    /// A decision could not be written, and was not undone.
    One,
    /// SQLite has rolled everything back.
    All(StoreError),
}

impl Writer {
    /// Runs the decisions in the transaction that has begun, commits once, and then answers them. Returns those for
    /// which there was no time.
    pub(crate) fn batch(&self, mut jobs: Vec<Job<Work>>) -> Vec<Job<Work>> {
        let since = Instant::now();
        let made = match self.attempt(&mut jobs, Keep::Nothing) {
            Err(Failure::One) => {
                self.roll_back();
                let begun = self.execute("BEGIN IMMEDIATE").and_then(|()| self.is_still_current());
                begun
                    .map_err(|fault| Failure::All(self.failed(fault)))
                    .and_then(|()| self.attempt(&mut jobs, Keep::Others))
            }
            made => made,
        };
        let (decided, committed) = match made {
            Ok(made) => (made.answers.len(), self.commit(made.last.is_some()).map(|()| made)),
            Err(Failure::All(error)) => (jobs.len(), Err(error)),
            Err(Failure::One) => (jobs.len(), Err(StoreErrorKind::Broken.into())),
        };
        // A commit that fails, or whose outcome is unknown, says nothing of those that were not decided.
        let later = jobs.split_off(decided);
        match committed {
            Ok(Attempt { answers, last }) => {
                self.signals.figures.writer.batch(answers.len(), since);
                if let Some(last) = last {
                    self.signals.notifiers.announce(last.seq);
                }
                for (Job { work, place, .. }, made) in jobs.into_iter().zip(answers) {
                    // A caller that has its answer no longer waits, and may read the figures at once.
                    drop(place);
                    if let Work::Decide(Waiting { answer, .. }) = work {
                        // The future may have been dropped; the decision is committed anyway.
                        let _ = answer.send(made);
                    }
                }
            }
            Err(error) => {
                self.roll_back();
                fail(jobs.into_iter(), &error);
            }
        }
        later
    }

    /// Runs the decisions one after the other. They are pure, so they can run again.
    fn attempt(&self, jobs: &mut [Job<Work>], keep: Keep) -> Result<Attempt, Failure> {
        let since = Instant::now();
        let (mut last, mut latest) = (None, Latest::default());
        let mut answers = Vec::with_capacity(jobs.len());
        for job in jobs {
            let _entered = job.span.enter();
            let Work::Decide(Waiting { act, decision, answer }) = &mut job.work else {
                continue;
            };
            let plan = Turn::begin(act, answer, LIMITS).map_err(Error::from).and_then(|mut turn| {
                Deciding::of(decision).finish_within(|key, room| {
                    turn.next(1)?;
                    latest.load(&self.conn, key, room).map_err(|fault| self.failed(fault))
                })
            });
            let made = match plan {
                Ok(plan) if !plan.is_empty() => match self.write(act, plan, last, keep, &mut latest) {
                    Ok(head) => {
                        last = Some(head);
                        Ok(Some(head.seq))
                    }
                    Err(fault) => {
                        latest.clear();
                        Err(self.undone(fault, keep)?.into())
                    }
                },
                Ok(_) => Ok(None),
                Err(error) => Err(error),
            };
            // After some errors SQLite has rolled everything back, and the whole batch has failed.
            if self.conn.is_autocommit() {
                return Err(Failure::All(match made {
                    Err(Error::Store(error)) => error,
                    _ => StoreErrorKind::Broken.into(),
                }));
            }
            answers.push(made);
            if since.elapsed() > LONGEST {
                break;
            }
        }
        if let Err(fault) = latest.write(&self.conn) {
            return Err(self.undone(fault, keep).map_or_else(|failed| failed, Failure::All));
        }
        Ok(Attempt { answers, last })
    }

    /// Writes the changes of a decision, and returns its entry as the head. `last` is the last entry in this
    /// transaction, once there is one.
    fn write(&self, act: &Act, plan: Plan, last: Option<Head>, keep: Keep, latest: &mut Latest) -> Result<Head, Fault> {
        if keep == Keep::Others {
            self.execute("SAVEPOINT decision")?;
        }
        // The head is read inside the transaction: another process may write to the file, and a commit may have failed.
        let last = last.map_or_else(|| journal::head(&self.conn), Ok)?;
        let (entry, values) = act.enter_with_values(last, plan)?;
        let head = entry.head();
        latest.apply(&self.conn, entry, &values)?;
        if keep == Keep::Others {
            latest.write(&self.conn)?;
            self.execute("RELEASE decision")?;
        }
        Ok(head)
    }

    /// Undoes the writes of this decision alone, if that is possible.
    fn undone(&self, fault: Fault, keep: Keep) -> Result<StoreError, Failure> {
        let error = self.failed(fault);
        if self.conn.is_autocommit() {
            return Ok(error);
        }
        match keep {
            // The whole batch has failed with it: writing has stopped.
            Keep::Nothing if self.signals.is_stopped() => self.roll_back(),
            Keep::Nothing => return Err(Failure::One),
            Keep::Others => {
                let undone = self.execute("ROLLBACK TO decision").and_then(|()| self.execute("RELEASE decision"));
                if undone.is_err() {
                    self.roll_back();
                }
            }
        }
        Ok(error)
    }
}

/// Another process may wait for the lock of the file meanwhile, and must be able to end a key within a second. A load
/// takes no time to speak of, so its number has no limit.
const LIMITS: TurnLimits = TurnLimits { time: Duration::from_millis(500), loads: usize::MAX };
